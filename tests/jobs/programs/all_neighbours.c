/* Neighbourhood collectives: on a ring, on a chain whose ends have one neighbour, and on a star of directed edges. */
#include "all.h"

static int in[64], out[64];

static void on_a_ring(void)
{
    int periodic = 1, places[2] = {0, 16}, both[2] = {rank + 1, rank + 1}, from[2] = {left + 1, right + 1};
    MPI_Aint where[2] = {0, 64};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Comm ring;
    MPI_Request r[5];
    long mine = 8 * (rank + 1), theirs = 4 * (left + 1 + right + 1);
    Y(Cart_create, MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    X(Neighbor_allgather, 16, 16, 16, out, 2, MPI_INT, in, 2, MPI_INT, ring);
    X(Neighbor_allgatherv, mine, mine, theirs, out, rank + 1, MPI_INT, in, from, places, MPI_INT, ring);
    X(Neighbor_alltoall, 24, 24, 24, out, 3, MPI_INT, in, 3, MPI_INT, ring);
    X(Neighbor_alltoallv, mine, mine, theirs, out, both, places, MPI_INT, in, from, places, MPI_INT, ring);
    X(Neighbor_alltoallw, mine, mine, theirs, out, both, where, types, in, from, where, types, ring);
    X(Ineighbor_allgather, 16, 16, 16, out, 2, MPI_INT, in, 2, MPI_INT, ring, &r[0]);
    Y(Wait, &r[0], MPI_STATUS_IGNORE);
    X(Ineighbor_allgatherv, mine, mine, theirs, out, rank + 1, MPI_INT, in, from, places, MPI_INT, ring, &r[0]);
    Y(Wait, &r[0], MPI_STATUS_IGNORE);
    X(Ineighbor_alltoall, 24, 24, 24, out, 3, MPI_INT, in, 3, MPI_INT, ring, &r[0]);
    Y(Wait, &r[0], MPI_STATUS_IGNORE);
    X(Ineighbor_alltoallv, mine, mine, theirs, out, both, places, MPI_INT, in, from, places, MPI_INT, ring, &r[0]);
    Y(Wait, &r[0], MPI_STATUS_IGNORE);
    X(Ineighbor_alltoallw, mine, mine, theirs, out, both, where, types, in, from, where, types, ring, &r[0]);
    Y(Wait, &r[0], MPI_STATUS_IGNORE);
    Y(Comm_free, &ring);
}

/* Beyond the ends there is MPI_PROC_NULL: nothing goes there and nothing comes from there. */
static void on_a_chain(void)
{
    int periodic = 0, places[2] = {0, 16}, counts[2] = {3, 5};
    MPI_Comm chain;
    long n = (rank > 0) + (rank < size - 1), sent = 12 * (rank > 0) + 20 * (rank < size - 1);
    int from[2] = {5, 3}; /* the left one sends 5 to its right, the right one 3 to its left */
    long received = 20 * (rank > 0) + 12 * (rank < size - 1);
    Y(Cart_create, MPI_COMM_WORLD, 1, &size, &periodic, 0, &chain);
    X(Neighbor_allgather, 8 * n, 8 * n, 8 * n, out, 2, MPI_INT, in, 2, MPI_INT, chain);
    X(Neighbor_alltoall, 8 * n, 8 * n, 8 * n, out, 2, MPI_INT, in, 2, MPI_INT, chain);
    X(Neighbor_alltoallv, sent, sent, received, out, counts, places, MPI_INT, in, from, places, MPI_INT, chain);
    Y(Comm_free, &chain);
}

/* Rank 0 sends to all others, which send nothing. */
static void on_a_star(void)
{
    int source = 0, others[16], n_in = rank > 0, n_out = rank == 0 ? size - 1 : 0, weighted;
    for (int i = 1; i < size; i++)
        others[i - 1] = i;
    MPI_Comm star;
    Y(Dist_graph_create_adjacent, MPI_COMM_WORLD, n_in, &source, MPI_UNWEIGHTED, n_out, others, MPI_UNWEIGHTED,
      MPI_INFO_NULL, 0, &star);
    X(Neighbor_allgather, 8 * n_out, 8 * n_out, 8 * n_in, out, 2, MPI_INT, in, 2, MPI_INT, star);
    X(Neighbor_alltoall, 4 * n_out, 4 * n_out, 4 * n_in, out, 1, MPI_INT, in, 1, MPI_INT, star);
    Y(Dist_graph_neighbors_count, star, &n_in, &n_out, &weighted);
    Y(Comm_free, &star);
}

/* An undirected graph: rank 0 with all others. */
static void on_a_graph(void)
{
    int index[16], edges[32], n = 0;
    for (int i = 1; i < size; i++)
        edges[n++] = i;
    index[0] = n;
    for (int i = 1; i < size; i++) {
        edges[n++] = 0;
        index[i] = n;
    }
    long degree = rank ? 1 : size - 1;
    MPI_Comm graph;
    Y(Graph_create, MPI_COMM_WORLD, size, index, edges, 0, &graph);
    X(Neighbor_allgather, 4 * degree, 4 * degree, 4 * degree, out, 1, MPI_INT, in, 1, MPI_INT, graph);
    Y(Graph_neighbors_count, graph, rank, &n);
    require(n == degree, "a graph");
    Y(Comm_free, &graph);
}

void all_neighbours(void)
{
    on_a_ring();
    on_a_chain();
    on_a_star();
    on_a_graph();
}
