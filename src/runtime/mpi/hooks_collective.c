/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives: the bytes that this process sends and receives, as doc/BYTES.md defines them for each routine. The peer
 * in their key is the size of the communicator. Arrays of counts are read only where the standard defines them (at the
 * root, for the group that peers are in). */
#include "runtime/mpi/hooks.h"
#include "runtime/mpi/memo.h"
#include "runtime/mpi/succession.h"

static void finish(struct fm_call *call, int result, const struct fm_comm *comm, int64_t count, uint64_t payload,
                   uint64_t sent, uint64_t received)
{
    struct fm_event_data event = {.ns = call->ns, .count_argument = count > 0 ? (uint64_t)count : 0};
    unsigned bin = FM_SIZE_NONE;
    if (result == 0) {
        event.bytes = payload;
        event.bytes_sent = sent;
        event.bytes_received = received;
        bin = fm_size_bin(payload);
    }
    fm_call_finish(call, comm ? (uint32_t)comm->size : FM_PEER_NONE, bin, &event);
}

/* NULL after an error: the arguments cannot be trusted then. */
static const struct fm_comm *known_comm(int result, fm_word comm)
{
    return result == 0 ? fm_comm_of(comm) : NULL;
}

static int64_t count_at(struct fm_counts counts, int64_t index)
{
    return counts.wide ? ((const int64_t *)counts.items)[index] : ((const int32_t *)counts.items)[index];
}

static int64_t sum_of(struct fm_counts counts, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; counts.items && i < n; i++)
        sum += count_at(counts, i);
    return sum;
}

static uint64_t sum_of_bytes(struct fm_counts counts, fm_word types, int64_t n)
{
    uint64_t sum = 0;
    for (int64_t i = 0; counts.items && types && i < n; i++)
        sum += fm_bytes_of(count_at(counts, i), fm_handle_at(types, i));
    return sum;
}

/* In an intercommunicator the root passes MPI_ROOT; the other processes of its group pass MPI_PROC_NULL and take no
 * part. */
static bool is_root(const struct fm_comm *comm, int32_t root)
{
    return comm->inter ? root == fm_abi.root : root == comm->rank;
}

static bool takes_part(const struct fm_comm *comm, int32_t root)
{
    return !comm->inter || root != fm_abi.proc_null;
}

/* Whether this process has a block of its own in what is gathered or scattered. In an intercommunicator those on the
 * root's side have none, and the arguments that would describe it may be anything, so MPI must not be queried about
 * them. */
static bool has_share(const struct fm_comm *comm, int32_t root)
{
    return comm && (!comm->inter || root >= 0);
}

void fm_after_barrier(struct fm_call *call, int result, fm_word comm)
{
    struct fm_event_data event = {.ns = call->ns};
    const struct fm_comm *known = known_comm(result, comm);
    if (known)
        fm_call_finish_known(call, (uint32_t)known->size, FM_SIZE_NONE, &event, (struct fm_memo){.comm = comm}, 0);
    else
        fm_finish_plain(call, FM_PEER_NONE);
}

void fm_after_bcast(struct fm_call *call, int result, int64_t count, fm_word type, int32_t root, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    uint64_t bytes = known && takes_part(known, root) ? fm_bytes_of(count, type) : 0;
    bool sends = known && is_root(known, root);
    finish(call, result, known, count, bytes, sends ? bytes : 0, sends ? 0 : bytes);
}

static struct fm_reduction_arguments reduction(fm_word sendbuf, fm_word recvbuf, int64_t count, fm_word type,
                                               int32_t root, fm_word comm, bool receives)
{
    fm_word from = sendbuf == fm_abi.in_place ? recvbuf : sendbuf;
    return (struct fm_reduction_arguments){.comm = comm,
                                           .root = root,
                                           .sent = fm_type_buffer(from, count, type),
                                           .received = fm_type_buffer(recvbuf, receives ? count : 0, type)};
}

void fm_after_reduce(struct fm_call *call, int result, fm_word sendbuf, fm_word recvbuf, int64_t count, fm_word type,
                     int32_t root, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    uint64_t bytes = known && takes_part(known, root) ? fm_bytes_of(count, type) : 0;
    bool receives = known && is_root(known, root);
    bool sends = !receives || !known->inter;
    struct fm_reduction_arguments arguments = {0};
    if (known)
        arguments = reduction(sendbuf, recvbuf, bytes ? count : 0, type, root, comm, receives);
    fm_reduction_returned(call, known ? &arguments : NULL);
    finish(call, result, known, count, bytes, sends ? bytes : 0, receives ? bytes : 0);
}

void fm_after_allreduce(struct fm_call *call, int result, fm_word sendbuf, fm_word recvbuf, int64_t count, fm_word type,
                        fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    uint64_t bytes = known ? fm_bytes_of(count, type) : 0;
    struct fm_reduction_arguments arguments = {0};
    if (known)
        arguments = reduction(sendbuf, recvbuf, count, type, 0, comm, true);
    struct fm_memo memo = {.comm = comm & fm_abi.handle_mask, .type = type};
    memo.partner = fm_reduction_returned(call, known ? &arguments : NULL);
    if (!known || !fm_memo_counts(&memo, count, fm_type_size(type))) {
        finish(call, result, known, count, bytes, bytes, bytes);
        return;
    }
    struct fm_event_data event = {call->ns, (uint64_t)count, bytes, bytes, bytes, 0};
    fm_call_finish_known(call, (uint32_t)known->size, fm_size_bin(bytes), &event, memo,
                         fm_memo_salt(0, (uint32_t)count));
}

static void finish_gather(struct fm_call *call, int result, const struct fm_comm *comm, int64_t count, uint64_t own,
                          uint64_t all, int32_t root)
{
    finish(call, result, comm, count, own, own, comm && is_root(comm, root) ? all : 0);
}

void fm_after_gather(struct fm_call *call, int result, fm_word sendbuf, int64_t scount, fm_word stype, int64_t rcount,
                     fm_word rtype, int32_t root, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    bool in_place = sendbuf == fm_abi.in_place, receives = known && is_root(known, root);
    uint64_t share = receives ? fm_bytes_of(rcount, rtype) : 0;
    uint64_t own = !has_share(known, root) ? 0 : in_place ? share : fm_bytes_of(scount, stype);
    finish_gather(call, result, known, in_place ? rcount : scount, own, known ? share * (uint64_t)known->size : 0,
                  root);
}

void fm_after_gatherv(struct fm_call *call, int result, fm_word sendbuf, int64_t scount, fm_word stype,
                      struct fm_counts rcounts, fm_word rtype, int32_t root, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    bool receives = known && is_root(known, root), in_place = sendbuf == fm_abi.in_place;
    uint64_t all = receives ? fm_bytes_of(sum_of(rcounts, known->size), rtype) : 0;
    int64_t count = in_place && receives && known->rank >= 0 ? count_at(rcounts, known->rank) : scount;
    uint64_t own = has_share(known, root) ? fm_bytes_of(count, in_place ? rtype : stype) : 0;
    finish_gather(call, result, known, count, own, all, root);
}

static void finish_scatter(struct fm_call *call, int result, const struct fm_comm *comm, int64_t count, uint64_t own,
                           uint64_t all, int32_t root)
{
    finish(call, result, comm, count, own, comm && is_root(comm, root) ? all : 0, own);
}

void fm_after_scatter(struct fm_call *call, int result, fm_word recvbuf, int64_t scount, fm_word stype, int64_t rcount,
                      fm_word rtype, int32_t root, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    bool in_place = recvbuf == fm_abi.in_place, sends = known && is_root(known, root);
    uint64_t share = sends ? fm_bytes_of(scount, stype) : 0;
    uint64_t own = !has_share(known, root) ? 0 : in_place ? share : fm_bytes_of(rcount, rtype);
    finish_scatter(call, result, known, in_place ? scount : rcount, own, known ? share * (uint64_t)known->size : 0,
                   root);
}

void fm_after_scatterv(struct fm_call *call, int result, fm_word recvbuf, struct fm_counts scounts, fm_word stype,
                       int64_t rcount, fm_word rtype, int32_t root, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    bool sends = known && is_root(known, root), in_place = recvbuf == fm_abi.in_place;
    uint64_t all = sends ? fm_bytes_of(sum_of(scounts, known->size), stype) : 0;
    int64_t count = in_place && sends && known->rank >= 0 ? count_at(scounts, known->rank) : rcount;
    uint64_t own = has_share(known, root) ? fm_bytes_of(count, in_place ? stype : rtype) : 0;
    finish_scatter(call, result, known, count, own, all, root);
}

void fm_after_allgather(struct fm_call *call, int result, fm_word sendbuf, int64_t scount, fm_word stype,
                        int64_t rcount, fm_word rtype, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    bool in_place = sendbuf == fm_abi.in_place;
    uint64_t share = known ? fm_bytes_of(rcount, rtype) : 0;
    uint64_t own = !known ? 0 : in_place ? share : fm_bytes_of(scount, stype);
    finish(call, result, known, in_place ? rcount : scount, own, own, known ? share * (uint64_t)known->size : 0);
}

void fm_after_allgatherv(struct fm_call *call, int result, fm_word sendbuf, int64_t scount, fm_word stype,
                         struct fm_counts rcounts, fm_word rtype, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    bool in_place = sendbuf == fm_abi.in_place;
    int64_t count = in_place && known && known->rank >= 0 ? count_at(rcounts, known->rank) : scount;
    uint64_t own = known ? fm_bytes_of(count, in_place ? rtype : stype) : 0;
    finish(call, result, known, count, own, own, known ? fm_bytes_of(sum_of(rcounts, known->size), rtype) : 0);
}

void fm_after_alltoall(struct fm_call *call, int result, fm_word sendbuf, int64_t scount, fm_word stype, int64_t rcount,
                       fm_word rtype, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    bool in_place = sendbuf == fm_abi.in_place;
    uint64_t n = known ? (uint64_t)known->size : 0;
    uint64_t received = known ? n * fm_bytes_of(rcount, rtype) : 0;
    uint64_t sent = !known ? 0 : in_place ? received : n * fm_bytes_of(scount, stype);
    finish(call, result, known, in_place ? rcount : scount, sent, sent, received);
}

void fm_after_alltoallv(struct fm_call *call, int result, fm_word sendbuf, struct fm_counts scounts, fm_word stype,
                        struct fm_counts rcounts, fm_word rtype, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    int64_t in = known ? sum_of(rcounts, known->size) : 0, out = in;
    uint64_t received = fm_bytes_of(in, rtype), sent = received;
    if (known && sendbuf != fm_abi.in_place) {
        out = sum_of(scounts, known->size);
        sent = fm_bytes_of(out, stype);
    }
    finish(call, result, known, out, sent, sent, received);
}

void fm_after_alltoallw(struct fm_call *call, int result, fm_word sendbuf, struct fm_counts scounts, fm_word stypes,
                        struct fm_counts rcounts, fm_word rtypes, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    uint64_t received = known ? sum_of_bytes(rcounts, rtypes, known->size) : 0, sent = received;
    int64_t count = known ? sum_of(rcounts, known->size) : 0;
    if (known && sendbuf != fm_abi.in_place) {
        sent = sum_of_bytes(scounts, stypes, known->size);
        count = sum_of(scounts, known->size);
    }
    finish(call, result, known, count, sent, sent, received);
}

void fm_after_reduce_scatter(struct fm_call *call, int result, struct fm_counts rcounts, fm_word type, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    /* in an intercommunicator the counts are for the local group, but `size` is that of the remote group */
    bool readable = known && !known->inter && known->rank >= 0;
    int64_t all = readable ? sum_of(rcounts, known->size) : 0;
    uint64_t sent = fm_bytes_of(all, type), received = readable ? fm_bytes_of(count_at(rcounts, known->rank), type) : 0;
    finish(call, result, known, all, sent, sent, received);
}

void fm_after_reduce_scatter_block(struct fm_call *call, int result, int64_t rcount, fm_word type, fm_word comm)
{
    const struct fm_comm *known = known_comm(result, comm);
    uint64_t received = known ? fm_bytes_of(rcount, type) : 0, sent = known ? received * (uint64_t)known->size : 0;
    finish(call, result, known, rcount, sent, sent, received);
}

/* ---- neighbourhood collectives ---- */

static const struct fm_comm *with_neighbours(int result, fm_word comm)
{
    return result == 0 ? fm_comm_with_neighbours(comm) : NULL;
}

/* Entries beyond the border of a grid have no neighbour: nothing is sent to or received from there. */
static bool is_neighbour(const struct fm_comm *comm, int64_t i)
{
    return i >= 64 || !(comm->no_neighbour >> i & 1);
}

static uint64_t neighbour_count(const struct fm_comm *comm, int64_t degree)
{
    return (uint64_t)degree - (uint64_t)__builtin_popcountll(comm->no_neighbour);
}

/* Sum of the counts and bytes of existing neighbours, with one datatype or an array of datatypes. */
struct neighbour_sum {
    int64_t count;
    uint64_t bytes;
};

static struct neighbour_sum sum_neighbours(const struct fm_comm *comm, int64_t degree, struct fm_counts counts,
                                           fm_word type, fm_word types)
{
    struct neighbour_sum sum = {0, 0};
    for (int64_t i = 0; counts.items && i < degree; i++) {
        if (!is_neighbour(comm, i))
            continue;
        sum.count += count_at(counts, i);
        sum.bytes += fm_bytes_of(count_at(counts, i), types ? fm_handle_at(types, i) : type);
    }
    return sum;
}

void fm_after_neighbor_allgather(struct fm_call *call, int result, int64_t scount, fm_word stype, int64_t rcount,
                                 fm_word rtype, fm_word comm)
{
    const struct fm_comm *known = with_neighbours(result, comm);
    uint64_t out = known ? neighbour_count(known, known->out_degree) : 0,
             in = known ? neighbour_count(known, known->in_degree) : 0;
    uint64_t sent = out ? out * fm_bytes_of(scount, stype) : 0, received = in ? in * fm_bytes_of(rcount, rtype) : 0;
    finish(call, result, known, scount, sent, sent, received);
}

void fm_after_neighbor_allgatherv(struct fm_call *call, int result, int64_t scount, fm_word stype,
                                  struct fm_counts rcounts, fm_word rtype, fm_word comm)
{
    const struct fm_comm *known = with_neighbours(result, comm);
    uint64_t out = known ? neighbour_count(known, known->out_degree) : 0,
             sent = out ? out * fm_bytes_of(scount, stype) : 0;
    uint64_t received = known ? sum_neighbours(known, known->in_degree, rcounts, rtype, 0).bytes : 0;
    finish(call, result, known, scount, sent, sent, received);
}

void fm_after_neighbor_alltoall(struct fm_call *call, int result, int64_t scount, fm_word stype, int64_t rcount,
                                fm_word rtype, fm_word comm)
{
    fm_after_neighbor_allgather(call, result, scount, stype, rcount, rtype, comm);
}

static void finish_neighbors(struct fm_call *call, int result, struct fm_counts scounts, fm_word stype, fm_word stypes,
                             struct fm_counts rcounts, fm_word rtype, fm_word rtypes, fm_word comm)
{
    const struct fm_comm *known = with_neighbours(result, comm);
    struct neighbour_sum sent = {0, 0}, received = {0, 0};
    if (known) {
        sent = sum_neighbours(known, known->out_degree, scounts, stype, stypes);
        received = sum_neighbours(known, known->in_degree, rcounts, rtype, rtypes);
    }
    finish(call, result, known, sent.count, sent.bytes, sent.bytes, received.bytes);
}

void fm_after_neighbor_alltoallv(struct fm_call *call, int result, struct fm_counts scounts, fm_word stype,
                                 struct fm_counts rcounts, fm_word rtype, fm_word comm)
{
    finish_neighbors(call, result, scounts, stype, 0, rcounts, rtype, 0, comm);
}

void fm_after_neighbor_alltoallw(struct fm_call *call, int result, struct fm_counts scounts, fm_word stypes,
                                 struct fm_counts rcounts, fm_word rtypes, fm_word comm)
{
    finish_neighbors(call, result, scounts, 0, stypes, rcounts, 0, rtypes, comm);
}
