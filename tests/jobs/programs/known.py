"""Known numbers of calls from Python: lower-case methods pickle, upper-case ones take buffers."""
import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
right, left = (rank + 1) % size, (rank - 1) % size
for turn in range(9):
    out, into = array.array("i", [rank] * 10), array.array("i", [0] * 50)
    comm.Sendrecv(out, right, 0, into, left, 0)
    assert into[9] == left
for turn in range(4):
    total = comm.allreduce(rank)
    assert total == size * (size - 1) // 2
for turn in range(6):
    value = array.array("d", [1.0])
    comm.Allreduce(MPI.IN_PLACE, value)
    assert value[0] == size
for turn in range(7):
    comm.Barrier()
request = comm.Irecv(array.array("i", [0] * 8), left)
comm.Ssend(array.array("i", [1, 2, 3]), right)
request.Wait()
half = comm.Split(rank % 2)
half.Bcast(array.array("d", [0.0] * 5), 0)
half.Free()
