// C++ with the C API: containers, templates, calls from destructors and lambdas, exceptions between calls.
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tally.h"

namespace
{

template <typename T> MPI_Datatype type_of();
template <> MPI_Datatype type_of<int>()
{
    return MPI_INT;
}
template <> MPI_Datatype type_of<double>()
{
    return MPI_DOUBLE;
}

template <typename T> std::vector<T> shifted(const std::vector<T> &out)
{
    std::vector<T> in(out.size() + 7);
    const long bytes = static_cast<long>(out.size() * sizeof(T));
    X(Sendrecv, bytes, bytes, bytes, out.data(), static_cast<int>(out.size()), type_of<T>(), right, 0, in.data(),
      static_cast<int>(in.size()), type_of<T>(), left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    in.resize(out.size());
    return in;
}

class Barrier
{
  public:
    ~Barrier()
    {
        Y(Barrier, MPI_COMM_WORLD);
    }
};

void throws_after_a_call(int turn)
{
    Barrier at_the_end;
    double sum = turn;
    X(Allreduce, 8, 8, 8, MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (turn % 2)
        throw std::runtime_error("odd");
}

} // namespace

int main(int argc, char **argv)
{
    Y(Init, &argc, &argv);
    Y(Comm_rank, MPI_COMM_WORLD, &rank);
    Y(Comm_size, MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    for (int n = 1; n <= 20; n++) {
        require(shifted(std::vector<int>(n, rank)).back() == left, "a shift of ints");
        require(shifted(std::vector<double>(n, rank)).back() == left, "a shift of doubles");
    }
    int caught = 0;
    for (int turn = 0; turn < 10; turn++) {
        try {
            throws_after_a_call(turn);
        } catch (const std::runtime_error &) {
            caught++;
        }
    }
    require(caught == 5, "exceptions");
    std::function<void(int)> broadcast = [](int root) {
        auto value = std::make_unique<int>(root);
        X(Bcast, 4, rank == root ? 4 : 0, rank == root ? 0 : 4, value.get(), 1, MPI_INT, root, MPI_COMM_WORLD);
    };
    for (int root = 0; root < size; root++)
        broadcast(root);
    Y(Finalize);
    tally_write();
    return 0;
}
