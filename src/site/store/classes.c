/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/classes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/names.h"

/* ---- ranks ---- */

int fm_ranks_class(int64_t ranks)
{
    if (ranks < 1)
        return FM_CLASS_UNKNOWN;
    int power = 63 - __builtin_clzll((unsigned long long)ranks);
    int number = 2 * power + (ranks != (int64_t)1 << power);
    return number < FM_RANKS_CLASSES ? number : FM_RANKS_CLASSES - 1;
}

void fm_ranks_class_bounds(int number, int64_t *least, int64_t *most)
{
    int64_t power = (int64_t)1 << number / 2;
    *least = power + number % 2;
    *most = number == FM_RANKS_CLASSES - 1 ? INT64_MAX : number % 2 ? 2 * power - 1 : power;
}

const char *fm_ranks_class_label(int number, char label[FM_CLASS_LABEL])
{
    int64_t least, most;
    if (number < 0 || number >= FM_RANKS_CLASSES)
        return "unknown";
    fm_ranks_class_bounds(number, &least, &most);
    if (most == INT64_MAX)
        snprintf(label, FM_CLASS_LABEL, "%" PRId64 " or more", least);
    else if (least == most)
        snprintf(label, FM_CLASS_LABEL, "%" PRId64, least);
    else
        snprintf(label, FM_CLASS_LABEL, "%" PRId64 "-%" PRId64, least, most);
    return label;
}

/* ---- CPU time ---- */

void fm_cpu_class_bounds(int number, double *least, double *below)
{
    static const double decades[] = {0, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, INFINITY};
    *least = decades[number];
    *below = decades[number + 1];
}

int fm_cpu_class(double seconds)
{
    if (isnan(seconds))
        return FM_CLASS_UNKNOWN;
    for (int i = FM_CPU_CLASSES - 1; i > 0; i--) {
        double least, below;
        fm_cpu_class_bounds(i, &least, &below);
        if (seconds >= least)
            return i;
    }
    return 0;
}

const char *fm_cpu_class_label(int number, char label[FM_CLASS_LABEL])
{
    if (number < 0 || number >= FM_CPU_CLASSES)
        return "unknown";
    if (number == 0)
        return "below 1 s";
    if (number == FM_CPU_CLASSES - 1)
        snprintf(label, FM_CLASS_LABEL, "10^%d s or more", number - 1);
    else
        snprintf(label, FM_CLASS_LABEL, "10^%d - 10^%d s", number - 1, number);
    return label;
}

/* ---- groups of routines ---- */

/* Patterns of names without MPI_; the first one that matches decides. */
static const struct {
    enum fm_routine_group group;
    const char *names;
} group_names[] = {
    {FM_GROUP_NONE, "Init\0Init_thread\0Finalize\0Comm_size\0Comm_rank\0Abort\0Pcontrol\0"},
    {FM_GROUP_WTIME, "Wtime\0Wtick\0"},
    {FM_GROUP_PERSISTENT, "Send_init\0Bsend_init\0Ssend_init\0Rsend_init\0Recv_init\0Psend_init\0Precv_init\0Start\0"
                          "Startall\0Pready*\0Parrived\0"},
    {FM_GROUP_BLOCKING, "Send\0Bsend\0Ssend\0Rsend\0Recv\0Mrecv\0Sendrecv\0Sendrecv_replace\0Probe\0Mprobe\0"
                        "Buffer_attach\0Buffer_detach\0Get_count\0Get_elements*\0"},
    {FM_GROUP_NONBLOCKING, "Isend\0Ibsend\0Issend\0Irsend\0Irecv\0Imrecv\0Isendrecv*\0Iprobe\0Improbe\0Wait*\0Test\0"
                           "Testall\0Testany\0Testsome\0Test_cancelled\0Cancel\0Request_*\0"},
    {FM_GROUP_PACK, "Pack*\0Unpack*\0"},
    {FM_GROUP_COLLECTIVE, "Barrier*\0Bcast*\0Gather*\0Scatter*\0Allgather*\0Alltoall*\0Allreduce*\0Reduce*\0Scan*\0"
                          "Exscan*\0Ibarrier\0Ibcast\0Igather*\0Iscatter*\0Iallgather*\0Ialltoall*\0Iallreduce\0"
                          "Ireduce*\0Iscan\0Iexscan\0Neighbor_*\0Ineighbor_*\0Op_*\0"},
    {FM_GROUP_ATTRIBUTE, "Attr_*\0Keyval_*\0*_attr\0*_keyval\0Get_processor_name\0Get_version\0Get_library_version\0"
                         "Initialized\0Finalized\0Query_thread\0Is_thread_main\0Comm_get_name\0Comm_set_name\0*Info*\0"
                         "*_info\0"},
    {FM_GROUP_ERROR, "Errhandler_*\0*_errhandler\0Error_*\0Add_error_*\0"},
    {FM_GROUP_DATATYPE, "Type_*\0Address\0Get_address\0Aint_*\0"},
    {FM_GROUP_TOPOLOGY, "Cart*\0Graph*\0Dist_graph*\0Dims_create\0Topo_test\0"},
    {FM_GROUP_INTERCOMMUNICATOR, "Intercomm_*\0Comm_remote_*\0Comm_test_inter\0Comm_accept\0Comm_connect\0"
                                 "Comm_disconnect\0Comm_join\0Comm_spawn*\0Comm_get_parent\0"},
    {FM_GROUP_COMMUNICATOR, "Group_*\0Comm_*\0"},
    {FM_GROUP_ONE_SIDED, "Win_*\0Put\0Get\0Accumulate\0Get_accumulate\0Fetch_and_op\0Compare_and_swap\0Rput\0Rget\0"
                         "Raccumulate\0Rget_accumulate\0"},
    {FM_GROUP_FILE, "File_*\0"},
};

enum fm_routine_group fm_routine_group(const char *routine)
{
    if (!fm_begins_with(routine, "MPI_"))
        return FM_GROUP_NONE;
    for (size_t i = 0; i < sizeof group_names / sizeof *group_names; i++)
        if (fm_names_fit(group_names[i].names, routine + strlen("MPI_")))
            return group_names[i].group;
    return FM_GROUP_NONE;
}

const char *fm_routine_group_label(enum fm_routine_group group)
{
#define X(name, label) [FM_GROUP_##name] = (label),
    static const char *const labels[FM_N_ROUTINE_GROUPS] = {FM_ROUTINE_GROUPS(X)};
#undef X
    return group < 0 || group >= FM_N_ROUTINE_GROUPS ? "" : labels[group];
}

/* ---- time ---- */

enum { DAY_S = 86400 };

int64_t fm_day_of(int64_t seconds)
{
    return (seconds - (seconds < 0 ? DAY_S - 1 : 0)) / DAY_S;
}

int64_t fm_month_start(int64_t seconds, int offset, int *year, int *month)
{
    time_t now = (time_t)seconds;
    struct tm tm = {0};
    gmtime_r(&now, &tm);
    tm = (struct tm){.tm_year = tm.tm_year, .tm_mon = tm.tm_mon + offset, .tm_mday = 1};
    int64_t start = timegm(&tm); /* which corrects months beyond the year */
    if (year)
        *year = tm.tm_year + 1900;
    if (month)
        *month = tm.tm_mon + 1;
    return start;
}

int64_t fm_day_of_date(int year, int month, int day)
{
    struct tm tm = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day};
    return fm_day_of(timegm(&tm));
}

bool fm_day_parse(const char *text, int64_t *day)
{
    int year, month, date, end = 0;
    if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &date, &end) != 3 || text[end] || year < 1970 || month < 1 ||
        month > 12 || date < 1)
        return false;
    *day = fm_day_of_date(year, month, date);
    /* the 31st of a month with 30 days would be the first of the next one */
    return *day >= fm_day_of_date(year, month, 1) && *day < fm_day_of_date(year, month + 1, 1);
}

int64_t fm_month_first_day(int64_t day)
{
    return fm_day_of(fm_month_start(day * DAY_S, 0, NULL, NULL));
}
