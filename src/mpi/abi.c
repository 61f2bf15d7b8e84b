/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/abi.h"

#include <stddef.h>

static void describe_openmpi(struct fm_abi *abi, fm_symbol_finder *find, const void *library)
{
    abi->handle_mask = ~(fm_word)0;
    abi->handle_bytes = 8;
    abi->status_bytes = 24;
    abi->status_source = 0;
    abi->status_error = 8;
    abi->status_ignore = abi->statuses_ignore = 0;
    abi->in_place = 1;
    abi->any_source = -1;
    abi->any_tag = -1;
    abi->proc_null = -2;
    abi->root = -4;
    abi->err_in_status = 18;
    abi->err_pending = 19;
    abi->err_other = 16;
    abi->comm_type_shared = 0;
    abi->comm_world = (fm_word)find(library, "ompi_mpi_comm_world");
    abi->comm_null = (fm_word)find(library, "ompi_mpi_comm_null");
    abi->request_null = (fm_word)find(library, "ompi_request_null");
    abi->group_null = (fm_word)find(library, "ompi_mpi_group_null");
    abi->info_null = (fm_word)find(library, "ompi_mpi_info_null");
    abi->type_byte = (fm_word)find(library, "ompi_mpi_byte");
    abi->type_double = (fm_word)find(library, "ompi_mpi_double");
    abi->op_sum = (fm_word)find(library, "ompi_mpi_op_sum");
    abi->errors_return = (fm_word)find(library, "ompi_mpi_errors_return");
}

static void describe_mpich(struct fm_abi *abi)
{
    abi->handle_mask = 0xffffffff;
    abi->handle_bytes = 4;
    abi->status_bytes = 20;
    abi->status_source = 8;
    abi->status_error = 16;
    abi->status_ignore = abi->statuses_ignore = 1;
    abi->in_place = ~(fm_word)0;
    abi->any_source = -2;
    abi->any_tag = -1;
    abi->proc_null = -1;
    abi->root = -3;
    abi->err_in_status = 17;
    abi->err_pending = 18;
    abi->err_other = 15;
    abi->comm_type_shared = 1;
    abi->comm_world = 0x44000000;
    abi->comm_null = 0x04000000;
    abi->request_null = 0x2c000000;
    abi->group_null = 0x08000000;
    abi->info_null = 0x1c000000;
    abi->type_byte = 0x4c00010d;
    abi->type_double = 0x4c00080b;
    abi->op_sum = 0x58000003;
    abi->errors_return = 0x54000001;
}

static bool find_functions(struct fm_abi *abi, fm_symbol_finder *find, const void *library)
{
    bool all = true;
#define FIND(name) all &= (*(void **)&abi->pmpi.name = find(library, "PMPI_" #name)) != NULL
    FIND(Comm_rank);
    FIND(Comm_size);
    FIND(Comm_remote_size);
    FIND(Comm_test_inter);
    FIND(Comm_compare);
    FIND(Comm_group);
    FIND(Comm_remote_group);
    FIND(Comm_split);
    FIND(Comm_split_type);
    FIND(Comm_free);
    FIND(Comm_get_errhandler);
    FIND(Comm_set_errhandler);
    FIND(Errhandler_free);
    FIND(Comm_get_parent);
    FIND(Group_translate_ranks);
    FIND(Group_free);
    FIND(Win_get_group);
    FIND(Type_size_x);
    FIND(Topo_test);
    FIND(Cartdim_get);
    FIND(Cart_shift);
    FIND(Graph_neighbors_count);
    FIND(Dist_graph_neighbors_count);
    FIND(Get_library_version);
    FIND(Query_thread);
    FIND(Initialized);
    FIND(Finalized);
    FIND(Bcast);
    FIND(Isend);
    FIND(Irecv);
    FIND(Iprobe);
    FIND(Test);
    FIND(Cancel);
    FIND(Wait);
    FIND(Request_free);
#undef FIND
    *(void **)&abi->pmpi.Type_get_extent = find(library, "PMPI_Type_get_extent");
    *(void **)&abi->pmpi.Type_get_true_extent = find(library, "PMPI_Type_get_true_extent");
    if (abi->kind == FM_MPI_OPENMPI)
        *(void **)&abi->comm_f2c = find(library, "PMPI_Comm_f2c");
    return all;
}

bool fm_abi_describe(struct fm_abi *abi, fm_symbol_finder *find, const void *library)
{
    abi->undefined = -32766;
    abi->kind = fm_mpi_kind_of(find, library);
    if (abi->kind == FM_MPI_NONE)
        return false;
    if (abi->kind == FM_MPI_OPENMPI)
        describe_openmpi(abi, find, library);
    else
        describe_mpich(abi);
    return find_functions(abi, find, library);
}
