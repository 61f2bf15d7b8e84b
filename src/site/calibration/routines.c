/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/calibration/routines.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"

static const struct {
    const char *name;
    enum fm_traffic traffic;
    const char *as;
} known[] = {
    {"Send", FM_TRAFFIC_MESSAGE, ""},
    {"Ssend", FM_TRAFFIC_MESSAGE, ""},
    {"Rsend", FM_TRAFFIC_MESSAGE, "MPI_Send"},
    {"Bsend", FM_TRAFFIC_MESSAGE, ""},
    {"Recv", FM_TRAFFIC_MESSAGE, ""},
    {"Mrecv", FM_TRAFFIC_MESSAGE, "MPI_Recv"},
    {"Probe", FM_TRAFFIC_MESSAGE, "MPI_Recv"},
    {"Mprobe", FM_TRAFFIC_MESSAGE, "MPI_Recv"},
    {"Sendrecv", FM_TRAFFIC_MESSAGE, ""},
    {"Sendrecv_replace", FM_TRAFFIC_MESSAGE, "MPI_Sendrecv"},
    {"Isend", FM_TRAFFIC_SEND, ""},
    {"Issend", FM_TRAFFIC_SEND, "MPI_Isend"},
    {"Irsend", FM_TRAFFIC_SEND, "MPI_Isend"},
    {"Ibsend", FM_TRAFFIC_SEND, "MPI_Bsend"},
    {"Start", FM_TRAFFIC_SEND, "MPI_Isend"},
    {"Startall", FM_TRAFFIC_SEND, "MPI_Isend"},
    {"Irecv", FM_TRAFFIC_RECEIVE, ""},
    {"Imrecv", FM_TRAFFIC_RECEIVE, "MPI_Irecv"},
    {"Wait", FM_TRAFFIC_COMPLETION, ""},
    {"Waitall", FM_TRAFFIC_COMPLETION, "MPI_Wait"},
    {"Waitany", FM_TRAFFIC_COMPLETION, "MPI_Wait"},
    {"Waitsome", FM_TRAFFIC_COMPLETION, "MPI_Wait"},
    {"Barrier", FM_TRAFFIC_COLLECTIVE, ""},
    {"Bcast", FM_TRAFFIC_COLLECTIVE, ""},
    {"Reduce", FM_TRAFFIC_COLLECTIVE, ""},
    {"Allreduce", FM_TRAFFIC_COLLECTIVE, ""},
    {"Scan", FM_TRAFFIC_COLLECTIVE, ""},
    {"Exscan", FM_TRAFFIC_COLLECTIVE, "MPI_Scan"},
    {"Gather", FM_TRAFFIC_COLLECTIVE, ""},
    {"Gatherv", FM_TRAFFIC_COLLECTIVE, "MPI_Gather"},
    {"Scatter", FM_TRAFFIC_COLLECTIVE, ""},
    {"Scatterv", FM_TRAFFIC_COLLECTIVE, "MPI_Scatter"},
    {"Allgather", FM_TRAFFIC_COLLECTIVE, ""},
    {"Allgatherv", FM_TRAFFIC_COLLECTIVE, "MPI_Allgather"},
    {"Alltoall", FM_TRAFFIC_COLLECTIVE, ""},
    {"Alltoallv", FM_TRAFFIC_COLLECTIVE, "MPI_Alltoall"},
    {"Alltoallw", FM_TRAFFIC_COLLECTIVE, "MPI_Alltoallv"},
    {"Reduce_scatter", FM_TRAFFIC_COLLECTIVE, ""},
    {"Reduce_scatter_block", FM_TRAFFIC_COLLECTIVE, "MPI_Reduce_scatter"},
};

static const char not_calibrated[] = "File_\0Win_\0Neighbor_\0Ineighbor_\0Isendrecv\0Psend\0Precv\0Pready\0";
static const char one_sided[] = "Put\0Get\0Accumulate\0Get_accumulate\0Fetch_and_op\0Compare_and_swap\0Rput\0Rget\0"
                                "Raccumulate\0Rget_accumulate\0";

static bool look_up(const char *name, struct fm_routine_meaning *meaning)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) {
            meaning->traffic = known[i].traffic;
            meaning->as = known[i].as;
            snprintf(meaning->name, sizeof meaning->name, "MPI_%s", name);
            return true;
        }
    return false;
}

/* "Bcast" of "Ibcast". */
static bool look_up_started(const char *name, struct fm_routine_meaning *meaning)
{
    char blocking[64];
    if (name[0] != 'I' || !islower((unsigned char)name[1]))
        return false;
    snprintf(blocking, sizeof blocking, "%c%s", toupper((unsigned char)name[1]), name + 2);
    if (!look_up(blocking, meaning) || meaning->traffic != FM_TRAFFIC_COLLECTIVE)
        return false;
    meaning->traffic = FM_TRAFFIC_COLLECTIVE_NOW;
    return true;
}

struct fm_routine_meaning fm_routine_meaning(const char *routine)
{
    struct fm_routine_meaning meaning = {.traffic = FM_TRAFFIC_UNKNOWN, .as = ""};
    char name[64];
    if (!fm_begins_with(routine, "MPI_") || strlen(routine) >= sizeof name)
        return meaning;
    snprintf(name, sizeof name, "%s", routine + strlen("MPI_"));
    size_t length = strlen(name);
    if (length > 2 && strcmp(name + length - 2, "_c") == 0)
        name[length - 2] = 0;
    if (look_up(name, &meaning) || look_up_started(name, &meaning))
        return meaning;
    meaning = (struct fm_routine_meaning){.traffic = FM_TRAFFIC_NONE, .as = ""};
    if (fm_names_begin(not_calibrated, name) || fm_names_have(one_sided, name))
        meaning.traffic = FM_TRAFFIC_UNKNOWN;
    return meaning;
}
