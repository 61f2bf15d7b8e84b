/* Classes of ranks and CPU time, groups of routines, months. */
#include "site/store/classes.h"

#include <math.h>
#include <string.h>

#include "tap.h"

static void ranks(int64_t number, const char *label)
{
    char text[FM_CLASS_LABEL];
    int64_t least, most;
    int class = fm_ranks_class(number);
    fm_ranks_class_bounds(class, &least, &most);
    tap_ok(strcmp(fm_ranks_class_label(class, text), label) == 0 && least <= number && number <= most, "%lld ranks: %s",
           (long long)number, label);
}

static void cpu(double seconds, const char *label)
{
    char text[FM_CLASS_LABEL];
    tap_ok(strcmp(fm_cpu_class_label(fm_cpu_class(seconds), text), label) == 0, "%g s: %s", seconds, label);
}

static void group(const char *routine, enum fm_routine_group wanted)
{
    tap_ok(fm_routine_group(routine) == wanted, "%s: %s", routine, fm_routine_group_label(wanted));
}

int main(void)
{
    char text[FM_CLASS_LABEL];
    ranks(1, "1");
    ranks(2, "2");
    ranks(3, "3");
    ranks(4, "4");
    ranks(5, "5-7");
    ranks(32, "32");
    ranks(33, "33-63");
    ranks(63, "33-63");
    ranks(64, "64");
    ranks(511, "257-511");
    ranks(1 << 24, "16777216 or more");
    ranks((int64_t)1 << 40, "16777216 or more");
    tap_ok(fm_ranks_class(0) == FM_CLASS_UNKNOWN && fm_ranks_class(-1) == FM_CLASS_UNKNOWN &&
               strcmp(fm_ranks_class_label(-1, text), "unknown") == 0,
           "no ranks: unknown");
    cpu(0, "below 1 s");
    cpu(0.999, "below 1 s");
    cpu(1, "10^0 - 10^1 s");
    cpu(99999.9, "10^4 - 10^5 s");
    cpu(100000, "10^5 - 10^6 s");
    cpu(1e300, "10^10 s or more");
    cpu(NAN, "unknown");
    group("MPI_Send", FM_GROUP_BLOCKING);
    group("MPI_Sendrecv_replace", FM_GROUP_BLOCKING);
    group("MPI_Send_init", FM_GROUP_PERSISTENT);
    group("MPI_Startall", FM_GROUP_PERSISTENT);
    group("MPI_Waitall", FM_GROUP_NONBLOCKING);
    group("MPI_Irecv", FM_GROUP_NONBLOCKING);
    group("MPI_Pack_size", FM_GROUP_PACK);
    group("MPI_Iallreduce", FM_GROUP_COLLECTIVE);
    group("MPI_Reduce_scatter", FM_GROUP_COLLECTIVE);
    group("MPI_Type_commit", FM_GROUP_DATATYPE);
    group("MPI_Comm_split", FM_GROUP_COMMUNICATOR);
    group("MPI_Comm_set_attr", FM_GROUP_ATTRIBUTE);
    group("MPI_Comm_set_errhandler", FM_GROUP_ERROR);
    group("MPI_Intercomm_create", FM_GROUP_INTERCOMMUNICATOR);
    group("MPI_Cart_create", FM_GROUP_TOPOLOGY);
    group("MPI_Wtime", FM_GROUP_WTIME);
    group("MPI_Win_fence", FM_GROUP_ONE_SIDED);
    group("MPI_File_write_at_all", FM_GROUP_FILE);
    group("MPI_Comm_rank", FM_GROUP_NONE);
    group("MPI_Init", FM_GROUP_NONE);
    group("other", FM_GROUP_NONE);
    int year, month;
    tap_ok(fm_day_of(86399) == 0 && fm_day_of(86400) == 1 && fm_day_of(-1) == -1, "days");
    tap_ok(fm_month_first_day(20775) == 20758, "2026-11-18 is in the month of 2026-11-01");
    tap_ok(fm_month_start(20775 * (int64_t)86400, 2, &year, &month) == 20819 * (int64_t)86400 && year == 2027 &&
               month == 1,
           "two months later is the next year");
    return tap_done();
}
