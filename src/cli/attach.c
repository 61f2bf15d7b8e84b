/* fathom attach: the modules of a job that runs already, sampled from outside. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/session.h"
#include "base/clock.h"
#include "cli/attach_segments.h"
#include "cli/cli.h"
#include "cli/printing.h"
#include "present/live.h"
#include "profile/encode.h"

enum { USUAL_HZ = 10, MOST_HZ = 1000, USUAL_SECONDS = 30, MOST_PIDS = 1 << 16 };
enum { SCREEN_SECONDS = 2, LINE_SECONDS = 5, SHOWING_PART = 50 /* looking takes at most 1/50 of the time */ };

struct request {
    pid_t *pids;
    size_t n;
    double seconds; /* 0: no limit */
    size_t moments; /* 0: no limit */
    double until;   /* width of intervals; 0: not asked for */
    size_t hz;
    const char *modules, *view, *save, *debug_path;
    bool outside, json, help;
};

/* All of one attachment. Either the session is used, or segments are read. */
struct watch {
    const struct request *request;
    struct fm_arena arena;
    struct fm_targets targets;
    struct fm_modules_map map;
    struct fm_symbols *symbols;
    bool segments;
    struct fm_profile *last; /* read from segments: the job may be over the next time */
    struct fm_session session;
    uint64_t started_ns, next_ns; /* when to look again */
    size_t lines;                 /* on the screen */
    double widest,
        last_widest; /* what chance makes narrow once it does not twice: of the last two looks the wider one */
    bool ended;      /* the job */
};

static void print_help(void)
{
    puts("fathom attach PID... [OPTION...]: where the time of a running job goes, by modules.\n"
         "\n"
         "PID is mpirun's, srun's or a batch script's (then all ranks below it on this host are meant), or those\n"
         "of the ranks. They need not have been started in any special way. Threads that run are stopped for some\n"
         "microseconds a sample, threads that sleep not at all. If the job runs under Fathom its own measurements\n"
         "are read instead, if it takes samples.\n"
         "\n"
         "  --for SECONDS     so long (default: 30)\n"
         "  --samples N       N samples of every thread\n"
         "  --until PERCENT   until the 95 % interval of every share above 2 % is narrower than that\n"
         "  --hz N            samples a second (default: 10)\n"
         "  --outside         take samples even if the job runs under Fathom\n"
         "  --modules FILE    which functions are which module; default: source files are modules\n"
         "  --view V          at the end: modules (default), sequence, calls, callers or flat\n"
         "  --json            a stream of JSON objects instead, one a line; the last one is final\n"
         "  --save FILE       write the profile, for fathom report and fathom export\n"
         "  --debug-path D    directories, D or D:D, with separate debug files (FATHOM_DEBUG_PATH)\n"
         "  -h, --help        this text; more in fathom-attach(1)\n"
         "\n"
         "Ctrl-C ends it with what was found.\n"
         "\n"
         "Example:\n"
         "  fathom attach $(pgrep mpirun) --until 5% --modules ocean.modules");
}

/* ---- options ---- */

enum {
    OPTION_FOR = 256,
    OPTION_SAMPLES,
    OPTION_UNTIL,
    OPTION_HZ,
    OPTION_OUTSIDE,
    OPTION_MODULES,
    OPTION_VIEW,
    OPTION_JSON,
    OPTION_SAVE,
    OPTION_DEBUG_PATH
};

static const struct option options[] = {
    {"for", required_argument, NULL, OPTION_FOR},
    {"samples", required_argument, NULL, OPTION_SAMPLES},
    {"until", required_argument, NULL, OPTION_UNTIL},
    {"hz", required_argument, NULL, OPTION_HZ},
    {"outside", no_argument, NULL, OPTION_OUTSIDE},
    {"modules", required_argument, NULL, OPTION_MODULES},
    {"view", required_argument, NULL, OPTION_VIEW},
    {"json", no_argument, NULL, OPTION_JSON},
    {"save", required_argument, NULL, OPTION_SAVE},
    {"debug-path", required_argument, NULL, OPTION_DEBUG_PATH},
    {"help", no_argument, NULL, 'h'},
    {0},
};

/* A positive number, and nothing but `unit` (or nothing) behind it. */
static bool parse_positive(const char *text, const char *unit, double most, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *number > 0 && *number <= most && (!*end || strcmp(end, unit) == 0);
}

static int set_view(struct request *request, const char *name)
{
    static const char *const views[] = {"modules", "sequence", "calls", "callers", "flat"};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (strcmp(views[i], name) == 0) {
            request->view = views[i];
            return FM_EXIT_OK;
        }
    return fm_usage_error("attach", "there is no view '%s' here, only modules, sequence, calls, callers, flat", name);
}

static int set_option(struct request *request, int option, char **argv)
{
    switch (option) {
    case OPTION_FOR:
        if (parse_positive(optarg, "s", 1e9, &request->seconds))
            return FM_EXIT_OK;
        return fm_usage_error("attach", "--for needs a number of seconds, not '%s'", optarg);
    case OPTION_SAMPLES:
        if (fm_parse_number(optarg, 1, UINT32_MAX, &request->moments))
            return FM_EXIT_OK;
        return fm_usage_error("attach", "--samples needs a number, not '%s'", optarg);
    case OPTION_UNTIL:
        if (!parse_positive(optarg, "%", 100, &request->until))
            return fm_usage_error("attach", "--until needs percents, as 1%%, not '%s'", optarg);
        request->until /= 100;
        return FM_EXIT_OK;
    case OPTION_HZ:
        if (fm_parse_number(optarg, 1, MOST_HZ, &request->hz))
            return FM_EXIT_OK;
        return fm_usage_error("attach", "--hz needs a number from 1 to %d, not '%s'", MOST_HZ, optarg);
    case OPTION_OUTSIDE:
        request->outside = true;
        return FM_EXIT_OK;
    case OPTION_VIEW:
        return set_view(request, optarg);
    case OPTION_MODULES:
        request->modules = optarg;
        return FM_EXIT_OK;
    case OPTION_JSON:
        request->json = true;
        return FM_EXIT_OK;
    case OPTION_SAVE:
        request->save = optarg;
        return FM_EXIT_OK;
    case OPTION_DEBUG_PATH:
        request->debug_path = optarg;
        return FM_EXIT_OK;
    default:
        return fm_option_error("attach", option, argv);
    }
}

static int parse_pids(struct request *request, int n, char **words)
{
    size_t pid;
    request->pids = n > 0 && n < MOST_PIDS ? calloc((size_t)n, sizeof *request->pids) : NULL;
    if (!n)
        return fm_usage_error("attach", "which process? Give the pid of mpirun, or those of the ranks");
    if (!request->pids)
        return fm_usage_error("attach", "too many processes");
    for (int i = 0; i < n; i++) {
        if (!fm_parse_number(words[i], 1, INT_MAX, &pid))
            return fm_usage_error("attach", "'%s' is not the number of a process", words[i]);
        request->pids[request->n++] = (pid_t)pid;
    }
    return FM_EXIT_OK;
}

static int parse(struct request *request, int argc, char **argv)
{
    int option;
    *request = (struct request){.hz = USUAL_HZ, .view = "modules", .debug_path = getenv("FATHOM_DEBUG_PATH")};
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        if (option == 'h') {
            request->help = true;
            return FM_EXIT_OK;
        }
        int status = set_option(request, option, argv);
        if (status)
            return status;
    }
    return parse_pids(request, argc - optind, argv + optind);
}

/* ---- looking at what there is ---- */

/* What is known now; it stays the watch's. NULL: error says why. */
static const struct fm_profile *profile_of(struct watch *watch, struct fm_error *error)
{
    struct fm_profile *profile = NULL;
    if (watch->segments)
        fm_attach_segments(&watch->targets, &profile, error);
    else if (!(profile = fm_samples_profile(&watch->session.samples, 0, watch->session.samples.moments)))
        fm_fail(error, FM_ERR_MEMORY, "no memory left for the profile");
    if (profile) {
        fm_profile_destroy(watch->last);
        watch->last = profile;
    } else if (watch->segments) {
        watch->ended = true;
        profile = watch->last;
    }
    return profile;
}

/* Profiles of the stretches; false: too few moments for them, or no memory. */
static bool cut_stretches(struct watch *watch, struct fm_profile *stretches[FM_STRETCHES])
{
    uint64_t moments = watch->segments ? 0 : watch->session.samples.moments;
    bool good = moments >= FM_STRETCHES * FM_STRETCH_LEAST;
    for (uint64_t i = 0; i < FM_STRETCHES && good; i++) {
        stretches[i] = fm_samples_profile(&watch->session.samples, (uint32_t)(moments * i / FM_STRETCHES),
                                          (uint32_t)(moments * (i + 1) / FM_STRETCHES));
        good = stretches[i];
    }
    return good;
}

static enum fm_status find_shares(struct watch *watch, const struct fm_profile *profile, struct fm_arena *arena,
                                  struct fm_shares *shares, struct fm_error *error)
{
    struct fm_profile *stretches[FM_STRETCHES] = {0};
    bool cut = cut_stretches(watch, stretches);
    enum fm_status status = fm_shares_find(shares, profile, cut ? stretches : NULL, &watch->map, watch->symbols, arena,
                                           error);
    for (size_t i = 0; i < FM_STRETCHES; i++)
        fm_profile_destroy(stretches[i]);
    watch->widest = shares->widest > watch->last_widest ? shares->widest : watch->last_widest;
    watch->last_widest = shares->widest;
    return status;
}

static struct fm_live live_of(struct watch *watch, const struct fm_profile *profile, const struct fm_shares *shares,
                              bool final)
{
    struct fm_session *session = &watch->session;
    struct fm_held held = fm_session_held(session);
    return (struct fm_live){
        .shares = shares,
        .seconds = (double)(fm_clock_ns(CLOCK_MONOTONIC) - watch->started_ns) / 1e9,
        .samples = profile->paths.samples,
        .moments = watch->segments ? 0 : session->samples.moments,
        .ranks = profile->n_processes,
        .final = final,
        .stops = !watch->segments,
        .stopped = session->stops,
        .held_median_ns = held.median_ns,
        .held_most_ns = held.most_ns,
    };
}

static enum fm_status show(struct watch *watch, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_shares shares = {0};
    uint64_t from = fm_clock_ns(CLOCK_MONOTONIC);
    bool screen = isatty(STDERR_FILENO);
    const struct fm_profile *profile = profile_of(watch, error);
    enum fm_status status = profile ? find_shares(watch, profile, &arena, &shares, error) : error->status;
    if (profile && !status) {
        struct fm_live live = live_of(watch, profile, &shares, false);
        if (watch->request->json)
            fm_live_json(&live, stdout);
        else if (screen)
            watch->lines = fm_live_screen(&live, stderr, watch->lines);
        else
            fm_live_line(&live, stderr);
    }
    fm_arena_destroy(&arena);
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC), pause = (now - from) * SHOWING_PART;
    uint64_t usual = (uint64_t)(screen ? SCREEN_SECONDS : LINE_SECONDS) * 1000000000u;
    watch->next_ns = now + (pause > usual ? pause : usual);
    return status;
}

/* ---- the end ---- */

struct final {
    const struct watch *watch;
    const struct fm_view *view;
    struct fm_live live;
};

static enum fm_status print_view(const void *context, struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct final *final = context;
    enum fm_status status = final->view->text(report, out, error);
    if (!status) {
        fputc('\n', out);
        fm_live_intervals(&final->live, out);
    }
    return status;
}

static enum fm_status print_end(struct watch *watch, const struct fm_profile *profile, const struct fm_shares *shares,
                                struct fm_error *error)
{
    const struct request *request = watch->request;
    struct final final = {watch, fm_view_find(request->view), live_of(watch, profile, shares, true)};
    struct fm_printing printing = {.command = "attach",
                                   .debug_path = request->debug_path,
                                   .names_matter = true,
                                   .options = {.modules = request->modules},
                                   .print = print_view,
                                   .context = &final};
    if (request->json) {
        fm_live_json(&final.live, stdout);
        return FM_OK;
    }
    return fm_print_profile(&printing, profile, error);
}

static enum fm_status finish(struct watch *watch, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_shares shares = {0};
    const struct fm_profile *profile = profile_of(watch, error);
    if (!profile)
        return error->status;
    enum fm_status status = FM_OK;
    if (!profile->paths.samples)
        status = fm_fail(error, FM_ERR_SYSTEM,
                         watch->segments ? "the job runs under Fathom, but without samples"
                                         : "the job ended before the first sample");
    if (!status && watch->request->save)
        status = fm_profile_write(profile, watch->request->save, error);
    if (!status)
        status = find_shares(watch, profile, &arena, &shares, error);
    if (!status)
        status = print_end(watch, profile, &shares, error);
    fm_arena_destroy(&arena);
    return status;
}

/* ---- moments ---- */

/* What ends us or stops us waits for the time between moments, when nothing is held. */
static void block_signals(sigset_t *set, sigset_t *before)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGTSTP);
    sigaddset(set, SIGCHLD); /* tells of threads that have stopped */
    sigprocmask(SIG_BLOCK, set, before);
}

/* Sleeps until then, or until a thread has stopped; false: somebody wants an end. */
static bool sleep_until(struct watch *watch, uint64_t then_ns, const sigset_t *signals)
{
    for (;;) {
        uint64_t now = fm_clock_ns(CLOCK_MONOTONIC), left = then_ns > now ? then_ns - now : 0;
        struct timespec wait = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
        int signal = sigtimedwait(signals, NULL, &wait);
        if (signal == SIGTSTP) {
            fm_session_settle(&watch->session);
            raise(SIGSTOP);
        } else if (signal > 0) {
            return signal == SIGCHLD;
        } else if (errno == EAGAIN) {
            return true;
        }
    }
}

static bool is_enough(const struct watch *watch)
{
    const struct request *request = watch->request;
    double seconds = (double)(fm_clock_ns(CLOCK_MONOTONIC) - watch->started_ns) / 1e9;
    bool limit = request->seconds > 0 || request->moments || request->until > 0;
    double most = limit ? request->seconds : watch->segments ? 1e-9 : USUAL_SECONDS;
    return (most > 0 && seconds >= most) || (request->until > 0 && watch->widest < request->until) ||
           (request->moments && (watch->segments || watch->session.samples.moments >= request->moments));
}

static enum fm_status sample(struct watch *watch, const sigset_t *signals, struct fm_error *error)
{
    struct fm_session *session = &watch->session;
    enum fm_status status = FM_OK;
    bool good = true;
    watch->widest = watch->last_widest = 1;
    while (good && !status && !watch->ended && !is_enough(watch) &&
           sleep_until(watch, fm_session_next_ns(session), signals)) {
        good = fm_session_look(session);
        watch->ended = !session->living;
        if (good && !watch->ended && fm_clock_ns(CLOCK_MONOTONIC) >= watch->next_ns) {
            good = fm_session_settle(session);
            status = show(watch, error);
        }
    }
    good &= fm_session_settle(session);
    return good || status ? status : fm_fail(error, FM_ERR_MEMORY, "no memory left for samples");
}

static enum fm_status follow_segments(struct watch *watch, const sigset_t *signals, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    watch->widest = watch->last_widest = 1;
    while (!status && !watch->ended && !is_enough(watch)) {
        uint64_t end = watch->request->seconds > 0 ? watch->started_ns + (uint64_t)(watch->request->seconds * 1e9)
                                                   : UINT64_MAX;
        if (!sleep_until(watch, watch->next_ns < end ? watch->next_ns : end, signals))
            return FM_OK;
        if (!is_enough(watch))
            status = show(watch, error);
    }
    return status;
}

/* ---- all of it ---- */

static enum fm_status open_watch(struct watch *watch, struct fm_error *error)
{
    const struct request *request = watch->request;
    char cache[PATH_MAX];
    enum fm_status status = request->modules ? fm_modules_map_read(&watch->map, request->modules, &watch->arena, error)
                                             : fm_modules_map_usual(&watch->map, &watch->arena, error);
    if (!status)
        status = fm_targets_find(&watch->targets, request->pids, request->n, &watch->arena, error);
    if (!status && !request->outside)
        status = fm_attach_segments(&watch->targets, &watch->last, error);
    watch->segments = watch->last && watch->last->paths.period_ns[1];
    struct fm_symbols_options wishes = {
        .debug_path = request->debug_path,
        .directory = watch->targets.n ? watch->targets.items[0].cwd : "",
        .cache = fm_symbols_cache_directory(cache, sizeof cache),
    };
    watch->symbols = fm_symbols_create(&wishes);
    if (!status && !watch->segments)
        status = fm_session_open(&watch->session, &watch->targets, 1000000000u / request->hz, error);
    watch->started_ns = fm_clock_ns(CLOCK_MONOTONIC);
    watch->next_ns = watch->started_ns + (uint64_t)SCREEN_SECONDS * 1000000000u;
    return status;
}

static void close_watch(struct watch *watch)
{
    if (watch->session.targets)
        fm_session_close(&watch->session);
    fm_profile_destroy(watch->last);
    fm_symbols_destroy(watch->symbols);
    fm_arena_destroy(&watch->arena);
}

int fm_cmd_attach(int argc, char **argv)
{
    struct request request;
    struct fm_error error = {0};
    sigset_t signals, before;
    int exit_status = parse(&request, argc, argv);
    if (request.help)
        print_help();
    if (exit_status || request.help) {
        free(request.pids);
        return exit_status;
    }
    struct watch watch = {.request = &request};
    block_signals(&signals, &before);
    enum fm_status status = open_watch(&watch, &error);
    if (!status)
        status = watch.segments ? follow_segments(&watch, &signals, &error) : sample(&watch, &signals, &error);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!status)
        status = finish(&watch, &error);
    close_watch(&watch);
    free(request.pids);
    return status ? fm_command_error("attach", &error) : FM_EXIT_OK;
}
