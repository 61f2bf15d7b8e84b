/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/pack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* 2^13 bytes of window: dictionary and document together are hardly longer, and a smaller one is set up sooner. Level 6
 * makes them 15 % smaller and takes half as long again. */
enum { LEVEL = 1, WINDOW = 13, MEMORY = 7 };

/* What is most frequent stands last: zlib looks back, and near is cheaper. Never changed; zlib tells dictionaries apart by
 * their Adler-32. */
static const char dictionary[] =
    "MPI_Comm_dup\",\"MPI_Comm_split\",\"MPI_Comm_free\",\"MPI_Cart_create\",\"MPI_Cart_shift\",\"MPI_Type_commit\",\"MPI_"
    "Type_vector\",\"MPI_Pack\",\"MPI_Unpack\",\"MPI_Win_fence\",\"MPI_Put\",\"MPI_Get\",\"MPI_File_open\",\"MPI_File_write_"
    "at_all\",\"MPI_File_read_at_all\",\"MPI_Iprobe\",\"MPI_Probe\",\"MPI_Test\",\"MPI_Testall\",\"MPI_Waitany\",\"MPI_Ibcast"
    "\",\"MPI_Iallreduce\",\"MPI_Ialltoall\",\"MPI_Ibarrier\",\"MPI_Reduce_scatter\",\"MPI_Scan\",\"MPI_Exscan\",\"MPI_"
    "Scatterv\",\"MPI_Gatherv\",\"MPI_Allgatherv\",\"MPI_Alltoallv\",\"MPI_Scatter\",\"MPI_Ssend\",\"MPI_Bsend\",\"MPI_"
    "Startall\",\"MPI_Send_init\",\"MPI_Recv_init\",\"MPI_Neighbor_alltoallv"
    "\"left_out\":{\"timers\":,\"regions\":,\"environment\":,\"hosts\":,\"findings\":,\"routines\":},\"environment\":{\""
    "OMPI_MCA_btl\":\"OMPI_MCA_pml\":\"ucx\",\"UCX_TLS\":\"UCX_NET_DEVICES\":\"MPICH_\":\"I_MPI_FABRICS\":\"shm:ofi\",\"I_MPI"
    "_PIN_DOMAIN\":\"late-sender\",\"late-receiver\",\"load-imbalance\",\"serial-stage\",\"barrier\",\"successive-reductions\","
    "\"small-messages\",\"idle-ranks\",\"read-and-broadcast\",\"ranks wait in at of the time. spends calls follow each "
    "other, ranks 0-\"tool\":\"end\":\"commit\":\"command\":\"launcher\":\"mpirun\",\"launcher\":\"srun\",\"language\":\"C\","
    "\"language\":\"C++\",\"Intel MPI 2021\",\"mpi\":\"MPICH 4.0.2\",\"mpi\":\"Open MPI 4.1.4\",\"compiler\":\"GNU C 12.2.0\","
    "\"compiler\":\"clang 14\",\"compiler\":\"GNU Fortran 12.2.0\",\"counters\":{\"instructions\":,\"fp_instructions\":,\"l2_"
    "misses\":,\"cycles\":,\"instructions_mpi\":,\"time_s\":},\"io\":{\"read_bytes\":,\"written_bytes\":,\"calls\":},\"memory\":"
    "{\"high_water_bytes\":,\"host_bytes\":},\"efficiency\":{\"parallel\":0.,\"load_balance\":0.,\"communication\":0.,\""
    "serialisation\":0.,\"transfer\":0.},\"split\":{\"program_s\":,\"waiting_s\":,\"io_s\":,\"no_cpu_s\":},\"timers\":[{\"name\":"
    "\",\"time_s\":,\"events\":},\"regions\":[{\"path\":\",\"wall_s\":,\"mpi_s\":,\"entries\":},\"hosts\":[{\"name\":\"node\",\""
    "ranks\":,\"slowness\":1.0},{\"name\":\"\",\"ranks\":,\"slowness\":0.99},\"findings\":[{\"rule\":\"\",\"text\":\"\",\"cost_s\":,"
    "\"measured\":true,\"function\":\"\",\"file\":\"\",\"line\":},{\"rule\":\".f90\",\"line\":.c\",\"line\":"
    "{\"fathom\":1,\"job\":{\"key\":\"\",\"id\":\"\",\"user\":\"\",\"account\":\"\",\"partition\":\"\",\"program\":\"\",\"build_id\":\""
    "\",\"path_hash\":\"\",\"launcher\":\"mpirun\",\"mpi\":\"Open MPI 4.1.4\",\"language\":\"Fortran\",\"compiler\":\"GNU "
    "Fortran 12.2.0\",\"version\":\"0.1.0\",\"started\":\"2026-\",\"ended\":\"2026-\",\"ranks\":,\"hosts\":,\"cores\":,\"complete\""
    ":true,\"wall_s\":,\"wall_sum_s\":,\"overhead_s\":0.},\"mpi\":{\"time_s\":,\"routines\":[{\"name\":\"MPI_Recv\",\"calls\":,"
    "\"time_s\":,\"bytes\":,\"count_arguments\":},{\"name\":\"MPI_Send\",\"calls\":,\"time_s\":0.,\"bytes\":,\"count_arguments\":},"
    "{\"name\":\"MPI_Bcast\",\"calls\":{\"name\":\"MPI_Alltoall\",\"calls\":{\"name\":\"MPI_Allgather\",\"calls\":{\"name\":\"MPI_"
    "Gather\",\"calls\":{\"name\":\"MPI_Reduce\",\"calls\":{\"name\":\"MPI_Barrier\",\"calls\":{\"name\":\"MPI_Allreduce\",\"calls"
    "\":{\"name\":\"MPI_Sendrecv\",\"calls\":{\"name\":\"MPI_Waitall\",\"calls\":{\"name\":\"MPI_Wait\",\"calls\":{\"name\":\"MPI_"
    "Irecv\",\"calls\":{\"name\":\"MPI_Isend\",\"calls\":,{\"name\":\"MPI_Comm_size\",\"calls\":{\"name\":\"MPI_Comm_rank\",\"calls\""
    ":,\"time_s\":0.0000},{\"name\":\"MPI_Init\",\"calls\":{\"name\":\"MPI_Finalize\",\"calls\":{\"name\":\"MPI_Wtime\",\"calls\":,\""
    "time_s\":0.000,\"bytes\":,\"count_arguments\":,\"comm_calls\":},{\"name\":\"MPI_";

struct fm_document_packer {
    z_stream packing, unpacking;
    unsigned char packed[FM_UNPACKED_BYTES + 1024]; /* what cannot be compressed grows a little */
    char text[FM_UNPACKED_BYTES + 1];
};

struct fm_document_packer *fm_document_packer_create(void)
{
    struct fm_document_packer *packer = calloc(1, sizeof *packer);
    if (!packer)
        return NULL;
    if (deflateInit2(&packer->packing, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK &&
        inflateInit(&packer->unpacking) == Z_OK)
        return packer;
    fm_document_packer_destroy(packer);
    return NULL;
}

void fm_document_packer_destroy(struct fm_document_packer *packer)
{
    if (!packer)
        return;
    deflateEnd(&packer->packing);
    inflateEnd(&packer->unpacking);
    free(packer);
}

enum fm_status fm_document_pack(struct fm_document_packer *packer, const char *text, size_t length,
                                const unsigned char **bytes, size_t *size, struct fm_error *error)
{
    z_stream *stream = &packer->packing;
    if (length > FM_UNPACKED_BYTES)
        return fm_fail(error, FM_ERR_INPUT, "a record of %zu bytes is too long to be kept", length);
    deflateReset(stream);
    deflateSetDictionary(stream, (const Bytef *)dictionary, sizeof dictionary - 1);
    stream->next_in = (z_const Bytef *)text;
    stream->avail_in = (uInt)length;
    stream->next_out = packer->packed;
    stream->avail_out = sizeof packer->packed;
    if (deflate(stream, Z_FINISH) != Z_STREAM_END)
        return fm_fail(error, FM_ERR_MEMORY, "cannot compress a record");
    *bytes = packer->packed;
    *size = sizeof packer->packed - stream->avail_out;
    return FM_OK;
}

enum fm_status fm_document_unpack(struct fm_document_packer *packer, const void *bytes, size_t size, const char **text,
                                  size_t *length, struct fm_error *error)
{
    z_stream *stream = &packer->unpacking;
    inflateReset(stream);
    stream->next_in = (z_const Bytef *)bytes;
    stream->avail_in = (uInt)size;
    stream->next_out = (Bytef *)packer->text;
    stream->avail_out = FM_UNPACKED_BYTES;
    int result = inflate(stream, Z_FINISH);
    if (result == Z_NEED_DICT && inflateSetDictionary(stream, (const Bytef *)dictionary, sizeof dictionary - 1) == Z_OK)
        result = inflate(stream, Z_FINISH);
    if (result != Z_STREAM_END)
        return fm_fail(error, FM_ERR_INPUT, "a record in the database is damaged");
    *length = FM_UNPACKED_BYTES - stream->avail_out;
    packer->text[*length] = 0;
    *text = packer->text;
    return FM_OK;
}
