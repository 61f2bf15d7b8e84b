/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/mpi/handles.h"

#define WINDOW_TAG ((fm_word)1 << 62)

struct fm_type fm_types[FM_TYPES];

struct fm_comm fm_comms[FM_COMMS];
static const struct fm_comm unknown = {.rank = -1};

/* ---- datatypes ---- */

/* A predefined type of MPICH that is one number. */
static bool is_number(fm_word handle)
{
    return fm_abi.kind == FM_MPI_MPICH && (handle & 0xff000000) == 0x4c000000;
}

/* Items need not be adjacent, nor begin at the address of a buffer. */
static struct fm_type query_extent(fm_word handle, int64_t bytes)
{
    int64_t lower, extent, first, length;
    if (is_number(handle) || !fm_abi.pmpi.Type_get_extent || !fm_abi.pmpi.Type_get_true_extent ||
        fm_abi.pmpi.Type_get_extent(handle, &lower, &extent) != 0 ||
        fm_abi.pmpi.Type_get_true_extent(handle, &first, &length) != 0)
        return (struct fm_type){.length = bytes, .extent = bytes};
    return (struct fm_type){.first = first, .length = length, .extent = extent};
}

uint64_t fm_type_size_find(fm_word handle)
{
    int64_t bytes = 0;
    if (is_number(handle))
        bytes = (int64_t)(handle >> 8 & 0xff); /* the handle of a predefined type contains its size */
    else if (fm_abi.pmpi.Type_size_x(handle, &bytes) != 0 || bytes < 0)
        return 0;
    struct fm_type *type = &fm_types[fm_handle_place(handle)], place = query_extent(handle, bytes);
    fm_lock(&fm_rt.mpi.handles_lock);
    __atomic_store_n(&type->handle, 0, __ATOMIC_RELEASE);
    type->bytes = (uint64_t)bytes;
    type->first = place.first;
    type->length = place.length;
    type->extent = place.extent;
    __atomic_store_n(&type->handle, handle, __ATOMIC_RELEASE);
    fm_unlock(&fm_rt.mpi.handles_lock);
    return (uint64_t)bytes;
}

struct fm_buffer fm_type_buffer(fm_word buffer, int64_t count, fm_word type)
{
    const struct fm_type *known;
    uint64_t bytes = fm_type_size(type);
    if (count <= 0 || bytes == 0)
        return (struct fm_buffer){buffer, 0};
    if (!fm_type_known(type, &known)) /* another thread has just used its slot */
        return (struct fm_buffer){buffer, (uint64_t)count * bytes};
    int64_t last = (count - 1) * known->extent;
    return (struct fm_buffer){buffer + (fm_word)(known->first + (last < 0 ? last : 0)),
                              (uint64_t)(known->length + (last < 0 ? -last : last))};
}

void fm_type_forget(fm_word handle)
{
    struct fm_type *type = &fm_types[fm_handle_place(handle)];
    fm_forget_memos();
    fm_lock(&fm_rt.mpi.handles_lock);
    if (type->handle == handle)
        __atomic_store_n(&type->handle, 0, __ATOMIC_RELEASE);
    fm_unlock(&fm_rt.mpi.handles_lock);
}

/* ---- communicators and windows ---- */

void fm_comm_world_ready(void)
{
    fm_abi.pmpi.Comm_group(fm_abi.comm_world, &fm_rt.mpi.world_group);
}

static void query_comm(struct fm_comm *comm, fm_word handle)
{
    int inter = 0, compared = -1;
    if (fm_abi.pmpi.Comm_test_inter(handle, &inter) != 0)
        return;
    comm->inter = inter != 0;
    fm_abi.pmpi.Comm_rank(handle, &comm->rank);
    if (inter)
        fm_abi.pmpi.Comm_remote_size(handle, &comm->size);
    else
        fm_abi.pmpi.Comm_size(handle, &comm->size);
    /* identical or congruent: the same processes in the same order */
    if (!inter && fm_rt.mpi.world_group && fm_abi.pmpi.Comm_compare(handle, fm_abi.comm_world, &compared) == 0)
        comm->identity = compared == 0 || compared == 1;
}

/* Layout of a translation: valid:1 communicator:8 rank:27 world rank:28. */
static void drop_translations(unsigned index)
{
    for (unsigned i = 0; i < FM_TRANSLATIONS; i++)
        if ((fm_rt.mpi.translations[i] >> 55 & 0xff) == index)
            __atomic_store_n(&fm_rt.mpi.translations[i], 0, __ATOMIC_RELAXED);
}

/* A handle is in its home slot or in one of the next few. Sets *empty to the slot where it would be inserted. */
static struct fm_comm *look_up(fm_word handle, struct fm_comm **empty)
{
    enum { PROBES = 4 };
    uint8_t home = fm_handle_place(handle);
    *empty = &fm_comms[home];
    for (unsigned i = PROBES; i-- > 0;) {
        struct fm_comm *comm = &fm_comms[(uint8_t)(home + i)];
        fm_word there = __atomic_load_n(&comm->handle, __ATOMIC_ACQUIRE);
        if (there == handle)
            return comm;
        if (there == 0)
            *empty = comm;
    }
    return NULL;
}

const struct fm_comm *fm_comm_find(fm_word handle)
{
    struct fm_comm *to, *comm = look_up(handle, &to);
    if (comm)
        return comm;
    struct fm_comm fresh = {.rank = -1, .in_degree = -1, .out_degree = -1, .window = (handle & WINDOW_TAG) != 0};
    if (!fresh.window)
        query_comm(&fresh, handle);
    fm_lock(&fm_rt.mpi.handles_lock);
    comm = look_up(handle, &to);
    if (!comm) {
        comm = to;
        fresh.generation = comm->generation + 1;
        __atomic_store_n(&comm->handle, 0, __ATOMIC_RELEASE);
        drop_translations((unsigned)(comm - fm_comms));
        *comm = fresh;
        __atomic_store_n(&comm->handle, handle, __ATOMIC_RELEASE);
    }
    fm_unlock(&fm_rt.mpi.handles_lock);
    return comm;
}

const struct fm_comm *fm_comm_of_window(fm_word word)
{
    return fm_comm_find(fm_handle(word) | WINDOW_TAG);
}

void fm_comm_forget(fm_word handle, bool window)
{
    fm_forget_memos();
    fm_lock(&fm_rt.mpi.handles_lock);
    struct fm_comm *unused, *comm = look_up(handle | (window ? WINDOW_TAG : 0), &unused);
    if (comm) {
        __atomic_store_n(&comm->handle, 0, __ATOMIC_RELEASE);
        comm->generation++;
        drop_translations((unsigned)(comm - fm_comms));
    }
    fm_unlock(&fm_rt.mpi.handles_lock);
}

/* One bit per missing neighbour. Each dimension has two, the lower one first; MPI_PROC_NULL beyond a border that is not
 * periodic. */
static uint64_t query_borders(fm_word handle, int dimensions)
{
    uint64_t beyond = 0;
    for (int i = 0; i < dimensions && i < 32; i++) {
        int below = 0, above = 0;
        if (fm_abi.pmpi.Cart_shift(handle, i, 1, &below, &above) != 0)
            continue;
        beyond |= (uint64_t)(below == fm_abi.proc_null) << (2 * i);
        beyond |= (uint64_t)(above == fm_abi.proc_null) << (2 * i + 1);
    }
    return beyond;
}

static void query_neighbours(struct fm_comm *comm, fm_word handle, int *in, int *out)
{
    const int cart = fm_abi.kind == FM_MPI_OPENMPI ? 1 : 2, graph = 3 - cart, dist_graph = 3;
    int topology = 0, weighted, n = 0;
    if (fm_abi.pmpi.Topo_test(handle, &topology) != 0)
        return;
    if (topology == cart && fm_abi.pmpi.Cartdim_get(handle, &n) == 0) {
        *in = *out = 2 * n;
        comm->no_neighbour = query_borders(handle, n);
    } else if (topology == graph && fm_abi.pmpi.Graph_neighbors_count(handle, comm->rank, &n) == 0) {
        *in = *out = n;
    } else if (topology == dist_graph) {
        fm_abi.pmpi.Dist_graph_neighbors_count(handle, in, out, &weighted);
    }
}

const struct fm_comm *fm_comm_with_neighbours(fm_word word)
{
    struct fm_comm *comm = (struct fm_comm *)fm_comm_find(fm_handle(word));
    if (comm->in_degree < 0 || comm->out_degree < 0) {
        int in = 0, out = 0;
        query_neighbours(comm, fm_handle(word), &in, &out);
        comm->out_degree = out;
        comm->in_degree = in;
    }
    return comm;
}

/* ---- peers ---- */

static int32_t query_world_rank(const struct fm_comm *comm, int32_t rank)
{
    fm_word handle = comm->handle & ~WINDOW_TAG, group = 0;
    int world = fm_abi.undefined;
    int status;
    if (!handle)
        return -1;
    if (comm->window)
        status = fm_abi.pmpi.Win_get_group(handle, &group);
    else if (comm->inter)
        status = fm_abi.pmpi.Comm_remote_group(handle, &group);
    else
        status = fm_abi.pmpi.Comm_group(handle, &group);
    if (status != 0)
        return -1;
    if (fm_abi.pmpi.Group_translate_ranks(group, 1, &rank, fm_rt.mpi.world_group, &world) != 0)
        world = fm_abi.undefined;
    fm_abi.pmpi.Group_free(&group);
    return world == fm_abi.undefined ? -1 : world;
}

uint32_t fm_comm_world_rank_find(const struct fm_comm *comm, int32_t rank)
{
    if (rank < 0)
        return FM_PEER_NONE;
    if (!fm_rt.mpi.world_group || comm == &unknown || (uint32_t)rank >= 1u << 27)
        return FM_PEER_NONE;
    uint64_t index = (uint64_t)(comm - fm_comms);
    uint64_t wanted = 1ull << 63 | index << 55 | (uint64_t)rank << 28;
    uint64_t *place = &fm_rt.mpi.translations[(index * 31 + (uint64_t)rank) % FM_TRANSLATIONS];
    uint64_t known = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (FM_LIKELY((known & ~0xfffffffull) == wanted))
        return (known & 0xfffffff) == 0xfffffff ? FM_PEER_NONE : (uint32_t)(known & 0xfffffff);
    int32_t world = query_world_rank(comm, rank);
    __atomic_store_n(place, wanted | ((uint64_t)(uint32_t)world & 0xfffffff), __ATOMIC_RELAXED);
    return world < 0 ? FM_PEER_NONE : (uint32_t)world;
}

uint32_t fm_comm_name(const struct fm_comm *comm)
{
    return comm == &unknown ? 0 : (comm->generation & 0xffffff) << 8 | (uint32_t)(comm - fm_comms);
}

const struct fm_comm *fm_comm_by_name(uint32_t name)
{
    const struct fm_comm *comm = &fm_comms[name & 0xff];
    return (comm->generation & 0xffffff) == name >> 8 && comm->handle ? comm : &unknown;
}
