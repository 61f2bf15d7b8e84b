/* The lines by which ranks tell what they have measured. */
#include <string.h>

#include "site/measure/measure.h"
#include "tap.h"

static struct fm_measure_line parse(const char *line)
{
    struct fm_measure_line parsed;
    fm_measure_parse(line, &parsed);
    return parsed;
}

int main(void)
{
    struct fm_measure_line line = parse("[0] fathom-calibrate: machine 4 2 16 1001 node7 AMD EPYC 7742 64-Core\r");
    tap_ok(line.kind == FM_MEASURE_MACHINE && line.ranks == 4 && line.hosts == 2 && line.cores == 16 &&
               line.oversubscribed && strcmp(line.name, "node7") == 0 && strcmp(line.cpu, "AMD EPYC 7742 64-Core") == 0,
           "the machine, after a mark of the launcher");
    line = parse("fathom-calibrate: machine 4 2 16 1000 node7 ");
    tap_ok(line.kind == FM_MEASURE_MACHINE && !line.oversubscribed && !*line.cpu,
           "as many ranks as cores, no processor");
    line = parse("fathom-calibrate: mpi Open MPI 4.1.4");
    tap_ok(line.kind == FM_MEASURE_MPI && strcmp(line.name, "Open MPI 4.1.4") == 0, "the MPI");
    line = parse("fathom-calibrate: point MPI_Send hosts 2 1048576 1.5e-06 2e-06 5000");
    tap_ok(line.kind == FM_MEASURE_POINT && line.between && line.ranks == 2 && line.bytes == 1048576 &&
               line.min_s == 1.5e-06 && line.median_s == 2e-06 && line.calls == 5000,
           "a point");
    line = parse("fathom-calibrate: group 16 host 7.5");
    tap_ok(line.kind == FM_MEASURE_GROUP && line.ranks == 16 && !line.between && line.seconds == 7.5, "a group");
    line = parse("fathom-calibrate: end 30.5");
    tap_ok(line.kind == FM_MEASURE_END && line.seconds == 30.5, "the end");
    static const char *const others[] = {
        "",
        "fathom-calibrate: ",
        "fathom-calibrate: point",
        "fathom-calibrate: point MPI_Send host 2 8 nan 1 1",
        "fathom-calibrate: point MPI_Send host 2 8 -1 1 1",
        "fathom-calibrate: point MPI_Send host 2 8 2 1 1",
        "fathom-calibrate: point MPI_Send host 1 8 1 1 1",
        "fathom-calibrate: machine a b",
        "fathom-calibrate: what 1 2 3",
        "WARNING: There is at least one non-excluded device",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        tap_ok(parse(others[i]).kind == FM_MEASURE_OTHER, "not one of them: %s", others[i]);
    return tap_done();
}
