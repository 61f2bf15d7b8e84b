/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom calibrate`: starts itself under a launcher, reads what its ranks have measured (site/measure/measure.h), and
 * writes the models that fit (site/calibration/calibration.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/clock.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "render/text.h"
#include "site/calibration/calibration.h"
#include "site/measure/measure.h"

enum {
    MOST_RANKS = 64,    /* that are started without a launcher on the command line */
    EXTRA_WORDS = 8,    /* this program and its options */
    LATE_SECONDS = 120, /* for the launcher, and for what ranks take longer than they should */
    MOST_POINTS = FM_CALIBRATION_ROUTINES * FM_CALIBRATION_POINTS / 16,
};

static const char DEFAULT_OUTPUT[] = "calibration.json";
static const double DEFAULT_SECONDS = 30, QUICK_SECONDS = 3;

struct calibrate_request {
    const char *output, *library;
    double seconds;
    bool quick, quiet, rank, timed;
    char **launcher;
    int n_launcher;
};

static void print_help(void)
{
    puts(
        "fathom calibrate [OPTION...] [-- LAUNCHER...]: measure how long MPI routines take on this machine.\n"
        "\n"
        "Starts ranks of its own with LAUNCHER (default: mpirun with a rank per core) and writes, for every routine, a\n"
        "model of its latency and bandwidth. Reports use it to split MPI time into latency, transfer and\n"
        "synchronisation: fathom report --view mpi --calibration FILE.\n"
        "\n"
        "  -o, --output F  write to file F (default: calibration.json)\n"
        "  --seconds N     measure for about N seconds (default: 30)\n"
        "  --quick         three message sizes, about 3 seconds\n"
        "  --library F     the MPI library (default: that of the launcher)\n"
        "  -q, --quiet     print only errors\n"
        "  -h, --help      show this help; more in fathom-calibrate(1)\n"
        "\n"
        "Example, on two hosts of a cluster:\n"
        "  fathom calibrate -o /etc/fathom/calibration.json -- srun -N 2 -n 64");
}

static int parse(struct calibrate_request *request, int argc, char **argv)
{
    const struct fm_option options[] = {
        {"output", .text = &request->output},
        {"seconds", .number = &request->seconds, .most = 3600, .given = &request->timed},
        {"quick", .on = &request->quick},
        {"library", .text = &request->library},
        {"quiet", .on = &request->quiet},
        {"rank", .on = &request->rank}, /* started by ourselves */
        {0},
    };
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-q") == 0)
            argv[i] = "--quiet";
    int status = fm_parse_options("calibrate", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    if (!request->timed)
        request->seconds = request->quick ? QUICK_SECONDS : DEFAULT_SECONDS;
    request->launcher = argv + optind;
    request->n_launcher = argc - optind;
    if (request->n_launcher && strcmp(argv[optind - 1], "--") != 0)
        return fm_usage_error("calibrate", "unexpected argument '%s'; a launcher follows after --", argv[optind]);
    if (request->n_launcher && !fm_is_launcher(argv[optind]))
        return fm_usage_error("calibrate", "'%s' is not a launcher that Fathom knows", argv[optind]);
    return FM_EXIT_NOT_YET;
}

/* ---- the ranks ---- */

/* The command line of the launcher: its own words, then this program. */
struct calibrate_command {
    char **words;
    char ranks[16], seconds[32], self[PATH_MAX];
};

static bool make_command(const struct calibrate_request *request, struct calibrate_command *command)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int n = 0;
    ssize_t length = readlink("/proc/self/exe", command->self, sizeof command->self - 1);
    command->words = calloc((size_t)request->n_launcher + EXTRA_WORDS + 4, sizeof *command->words);
    if (!command->words || length <= 0)
        return false;
    command->self[length] = 0;
    snprintf(command->ranks, sizeof command->ranks, "%ld", cores < 2 ? 2 : cores > MOST_RANKS ? MOST_RANKS : cores);
    snprintf(command->seconds, sizeof command->seconds, "%g", request->seconds);
    for (int i = 0; i < request->n_launcher; i++)
        command->words[n++] = request->launcher[i];
    if (!n) {
        command->words[n++] =
            (char *)fm_launchers[FM_LAUNCHER_OPENMPI].commands; /* the first, and of other MPIs, too */
        command->words[n++] = "-n";
        command->words[n++] = command->ranks;
    }
    command->words[n++] = command->self;
    command->words[n++] = "calibrate";
    command->words[n++] = "--rank";
    command->words[n++] = "--seconds";
    command->words[n++] = command->seconds;
    if (request->quick)
        command->words[n++] = "--quick";
    if (request->library) {
        command->words[n++] = "--library";
        command->words[n++] = (char *)request->library;
    }
    return true;
}

/* Starts the launcher with its output in a pipe. Returns its pid, or -1. */
static pid_t start(char **words, int *output)
{
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
        dup2(none, STDIN_FILENO);
        dup2(pipes[1], STDOUT_FILENO);
        execvp(words[0], words);
        fm_print_line(stderr, "fathom calibrate: cannot start %s: %s.\n", words[0], strerror(errno));
        _exit(127);
    }
    close(pipes[1]);
    *output = pipes[0];
    return pid;
}

/* ---- what they have measured ---- */

struct measured {
    char routine[64];
    enum fm_place place;
    struct fm_calibration_point point;
};

struct results {
    const struct calibrate_request *request;
    struct fm_measure_line machine;
    char mpi[128];
    struct measured *points;
    size_t n;
    bool ended;
    double seconds;
};

static void say(const struct results *results, const char *sentence)
{
    if (!results->request->quiet)
        fm_say((void *)"calibrate", sentence);
}

static void handle(struct results *results, const struct fm_measure_line *line)
{
    char sentence[256];
    switch (line->kind) {
    case FM_MEASURE_MACHINE:
        results->machine = *line;
        snprintf(sentence, sizeof sentence, "%u ranks on %u host%s, %u cores on each, for about %g s", line->ranks,
                 line->hosts, line->hosts == 1 ? "" : "s", line->cores, results->request->seconds);
        say(results, sentence);
        if (line->oversubscribed)
            say(results, "there are more ranks than cores: the values mean little, start fewer ranks");
        break;
    case FM_MEASURE_MPI:
        snprintf(results->mpi, sizeof results->mpi, "%s", line->name);
        break;
    case FM_MEASURE_GROUP:
        snprintf(sentence, sizeof sentence, "after %.0f s: %u ranks %s", line->seconds, line->ranks,
                 line->between ? "of several hosts" : "of one host");
        say(results, sentence);
        break;
    case FM_MEASURE_POINT:
        if (results->n == MOST_POINTS || strncmp(line->name, "MPI_", 4) != 0)
            break;
        struct measured *measured = &results->points[results->n++];
        snprintf(measured->routine, sizeof measured->routine, "%.63s", line->name);
        measured->place = line->between ? FM_PLACE_HOSTS : FM_PLACE_HOST;
        measured->point = (struct fm_calibration_point){line->ranks, line->bytes, line->min_s, line->median_s,
                                                        line->calls};
        break;
    case FM_MEASURE_END:
        results->ended = true;
        results->seconds = line->seconds;
        break;
    case FM_MEASURE_OTHER:
        break;
    }
}

/* What is not ours is the launcher's: a user should see it. */
static void handle_text(struct results *results, char *text)
{
    struct fm_measure_line line;
    fm_measure_parse(text, &line);
    if (line.kind == FM_MEASURE_OTHER && *text)
        fm_print_line(stderr, "%s\n", text);
    handle(results, &line);
}

/* Reads until the launcher has closed its output. Returns false if that takes far too long. */
static bool read_lines(struct results *results, int fd)
{
    char text[1024];
    size_t used = 0;
    uint64_t until_ns = fm_clock_ns(CLOCK_MONOTONIC) + (uint64_t)(1e9 * (results->request->seconds + LATE_SECONDS));
    for (;;) {
        uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (now >= until_ns)
            return false;
        if (poll(&ready, 1, (int)((until_ns - now) / 1000000) + 1) <= 0)
            continue;
        ssize_t n = read(fd, text + used, sizeof text - 1 - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return true;
        used += (size_t)n;
        text[used] = 0;
        char *begin = text, *end;
        while ((end = strchr(begin, '\n'))) {
            *end = 0;
            handle_text(results, begin);
            begin = end + 1;
        }
        used = (size_t)(text + used - begin);
        memmove(text, begin, used);
        if (used == sizeof text - 1) /* not a line of ours */
            used = 0;
    }
}

static int compare(const void *a, const void *b)
{
    const struct measured *x = a, *y = b;
    int order = strcmp(x->routine, y->routine);
    if (!order)
        order = (int)x->place - (int)y->place;
    if (!order)
        order = (x->point.ranks > y->point.ranks) - (x->point.ranks < y->point.ranks);
    return order ? order : (x->point.bytes > y->point.bytes) - (x->point.bytes < y->point.bytes);
}

/* One model for each routine and place. */
static bool fit(struct results *results, struct fm_calibration *calibration)
{
    struct fm_calibration_point *points = calloc(FM_CALIBRATION_POINTS, sizeof *points);
    qsort(results->points, results->n, sizeof *results->points, compare);
    bool good = points;
    for (size_t i = 0; good && i < results->n;) {
        const struct measured *first = &results->points[i];
        size_t n = 0;
        for (; i < results->n && results->points[i].place == first->place &&
               strcmp(results->points[i].routine, first->routine) == 0;
             i++)
            if (n < FM_CALIBRATION_POINTS)
                points[n++] = results->points[i].point;
        good = fm_calibration_add(calibration, first->routine, first->place, points, n);
    }
    fm_calibration_sort(calibration);
    free(points);
    return good;
}

static enum fm_status print(void *context, FILE *out, struct fm_error *error)
{
    return fm_calibration_write(context, out, error);
}

static void join_words(char *text, size_t size, char **words, int n)
{
    *text = 0;
    for (int i = 0; i < n; i++) {
        strncat(text, i ? " " : "", size - strlen(text) - 1);
        strncat(text, words[i], size - strlen(text) - 1);
    }
}

static enum fm_status write_file(struct results *results, const struct calibrate_command *command, const char *output,
                                 struct fm_error *error)
{
    char words[FM_CALIBRATION_TEXT + 1], date[FM_UNIT_CHARS];
    int n = 0;
    while (command->words[n] != command->self)
        n++;
    join_words(words, sizeof words, command->words, n);
    struct fm_calibration calibration = {
        .made = fm_date_iso(date, fm_clock_ns(CLOCK_REALTIME)),
        .version = FM_VERSION,
        .mpi = results->mpi,
        .host = results->machine.name,
        .cpu = results->machine.cpu,
        .command = words,
        .ranks = results->machine.ranks,
        .hosts = results->machine.hosts,
        .cores = results->machine.cores,
        .oversubscribed = results->machine.oversubscribed,
        .seconds = results->seconds,
    };
    enum fm_status status = fit(results, &calibration)
                                ? fm_print_to(output, print, &calibration, error)
                                : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the calibration");
    char sentence[512];
    snprintf(sentence, sizeof sentence, "wrote %.256s: %zu routines of %s, in %.0f s", output, calibration.n_routines,
             results->mpi, results->seconds);
    if (!status)
        say(results, sentence);
    fm_calibration_destroy(&calibration);
    return status;
}

/* ---- the command ---- */

static enum fm_status run_ranks(struct results *results, const struct calibrate_command *command,
                                struct fm_error *error)
{
    int output = -1, status = 0;
    pid_t pid = start(command->words, &output);
    if (pid < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot start %s: %s", command->words[0], strerror(errno));
    bool in_time = read_lines(results, output);
    close(output);
    if (!in_time)
        kill(pid, SIGTERM);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!in_time)
        return fm_fail(error, FM_ERR_SYSTEM, "the ranks did not end in time");
    if (results->ended && results->n && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return FM_OK;
    return fm_fail(error, FM_ERR_SYSTEM, "%s failed (%s %d): nothing was written", fm_basename(command->words[0]),
                   WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static int be_rank(const struct calibrate_request *request)
{
    struct fm_error error = {0};
    struct fm_measure_options options = {request->seconds, request->quick, request->library};
    return fm_measure_rank(&options, &error) ? fm_command_error("calibrate", &error) : FM_EXIT_OK;
}

int fm_cmd_calibrate(int argc, char **argv)
{
    struct calibrate_request request = {.output = DEFAULT_OUTPUT};
    struct calibrate_command command = {0};
    struct fm_error error = {0};
    int exit_status = parse(&request, argc, argv);
    if (exit_status != FM_EXIT_NOT_YET)
        return exit_status;
    if (request.rank)
        return be_rank(&request);
    struct results results = {.request = &request, .points = calloc(MOST_POINTS, sizeof *results.points)};
    bool ready = results.points && make_command(&request, &command);
    enum fm_status status = ready ? run_ranks(&results, &command, &error)
                                  : fm_fail(&error, FM_ERR_SYSTEM, "cannot prepare the ranks: %s", strerror(errno));
    if (ready && !status)
        status = write_file(&results, &command, request.output, &error);
    free(results.points);
    free(command.words);
    return status ? fm_command_error("calibrate", &error) : FM_EXIT_OK;
}
