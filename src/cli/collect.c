/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom collect`: merges the data that dead jobs left behind into profiles. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/gather.h"
#include "cli/open_profile.h"
#include "cli/run_hosts.h"
#include "cli/site_hand_over.h"
#include "render/text.h"
#include "symbols/drop_privileges.h"

enum { RUN_WAIT_SECONDS = 3 };

struct collect_request {
    const char *directory; /* NULL: the usual ones */
    char output[FM_FILE_PATH_BYTES];
    size_t wait_seconds;
    const char *run_id; /* if started by `fathom run` on another host: only jobs of this run, with output for it */
    bool quiet, force, help;
};

struct collect_counts {
    const struct collect_request *request;
    size_t written, running, failed, damaged;
};

static void print_help(void)
{
    puts("fathom collect [DIRECTORY] [OPTION...]: write the profiles of jobs that were killed.\n"
         "\n"
         "Searches DIRECTORY (default: where measured programs keep their data) for processes that ended\n"
         "without writing a profile, and writes one profile per job. Jobs with live processes are skipped.\n"
         "\n"
         "  -o, --output DIR   write the profiles to DIR (default: where each job would have written its own)\n"
         "  --wait SECONDS     wait this long for live processes to end\n"
         "  --force            treat processes on other hosts and in other containers as dead\n"
         "  -q, --quiet        print only errors\n"
         "  -h, --help         show this help; more in fathom-collect(1)\n"
         "\n"
         "Example:\n"
         "  fathom collect -o profiles/");
}

static int parse(int argc, char **argv, struct collect_request *request)
{
    static const struct option longs[] = {{"output", required_argument, NULL, 'o'},
                                          {"wait", required_argument, NULL, 'w'},
                                          {"force", no_argument, NULL, 'f'},
                                          {"run", required_argument, NULL, 'r'},
                                          {"quiet", no_argument, NULL, 'q'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    int option;
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":o:qh", longs, NULL)) != -1)
        switch (option) {
        case 'o': {
            struct stat st;
            if (stat(optarg, &st) != 0 || !S_ISDIR(st.st_mode))
                return fm_usage_error("collect", "-o needs a directory that exists, not '%s'", optarg);
            if (!realpath(optarg, request->output))
                return fm_usage_error("collect", "-o %s: %s", optarg, strerror(errno));
            break;
        }
        case 'w':
            if (!fm_parse_number(optarg, 0, 1000000, &request->wait_seconds))
                return fm_usage_error("collect", "--wait needs a number of seconds, not '%s'", optarg);
            break;
        case 'f':
            request->force = true;
            break;
        case 'r':
            if (!*optarg || strlen(optarg) > 39 || strchr(optarg, '/'))
                return fm_usage_error("collect", "--run needs the id of a run, not '%s'", optarg);
            request->run_id = optarg;
            break;
        case 'q':
            request->quiet = true;
            break;
        case 'h':
            request->help = true;
            return FM_EXIT_OK;
        default:
            return fm_option_error("collect", option, argv);
        }
    if (optind + 1 < argc)
        return fm_usage_error("collect", "unexpected argument '%s': give one directory", argv[optind + 1]);
    request->directory = argv[optind];
    return FM_EXIT_OK;
}

static void print_left_out(const struct fm_gather_event *event)
{
    char subject[128];
    snprintf(subject, sizeof subject, "job %.72s was measured", event->job_key);
    fm_tell_left_out("collect", subject, &event->profile->left_out);
}

static void print_written(const struct fm_gather_event *event)
{
    char ends[400];
    size_t measured = 0;
    for (size_t i = 0; i < event->profile->n_processes; i++)
        measured += event->profile->processes[i].end != FM_END_MISSING;
    fm_profile_ends_text(event->profile, ends, sizeof ends);
    fm_print_line(stdout, "%s: %zu of %u rank%s", event->path, measured, event->profile->job.ranks,
                  event->profile->job.ranks == 1 ? "" : "s");
    fm_print_line(stdout, "; %s\n", *ends ? ends : "all ended normally");
}

static void print_running(const struct fm_gather_event *event)
{
    if (event->foreign)
        fm_print_line(stdout,
                      "job %s: skipped %zu process%s on another host or in another container; use --force if dead\n",
                      event->job_key, event->processes, event->processes == 1 ? "" : "es");
    else
        fm_print_line(stdout, "job %s: skipped, %zu process%s still running\n", event->job_key, event->processes,
                      event->processes == 1 ? "" : "es");
}

static void handle_event(void *context, const struct fm_gather_event *event)
{
    struct collect_counts *tally = context;
    bool quiet = tally->request->quiet;
    switch (event->kind) {
    case FM_GATHER_WRITTEN:
        tally->written++;
        print_left_out(event);
        if (!quiet)
            print_written(event);
        if (!tally->request->run_id) /* the `fathom run` that asks for it does so itself */
            fm_site_hand_over(event->path, quiet);
        break;
    case FM_GATHER_RUNNING:
        tally->running++;
        if (!quiet)
            print_running(event);
        break;
    case FM_GATHER_FAILED:
        tally->failed++;
        fm_command_error("collect", event->error);
        break;
    case FM_GATHER_DAMAGED:
        tally->damaged += event->processes;
        fm_print_line(stderr, "fathom collect: %zu damaged file%s left in place, for example %s.\n", event->processes,
                      event->processes == 1 ? "" : "s", event->path);
        break;
    }
}

static void wait_for_processes(const char *directory, const char *run_id, size_t seconds)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    now = start;
    while ((size_t)(now.tv_sec - start.tv_sec) < seconds && fm_gather_living(directory, run_id) > 0) {
        nanosleep(&pause, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
}

static void print_profile(void *context, const char *path)
{
    (void)context;
    printf(FM_HOST_PROFILE "%s\n", path);
}

/* Lists the profiles of the run that this host knows of, for the `fathom run` that started us; each is listed once. */
static void pass_on_profiles(const char *directory, const char *run_id)
{
    fm_gather_profiles(directory, run_id, print_profile, NULL);
    fm_gather_forget(directory, run_id);
}

static bool collect_directory(const char *directory, const struct collect_request *request,
                              struct collect_counts *tally)
{
    struct fm_gather_options options = {
        .run_id = request->run_id, .output = *request->output ? request->output : NULL, .force = request->force};
    struct fm_error error;
    wait_for_processes(directory, request->run_id, request->wait_seconds);
    if (fm_gather(directory, &options, handle_event, tally, &error) != FM_OK) {
        fm_command_error("collect", &error);
        return false;
    }
    if (request->run_id)
        pass_on_profiles(directory, request->run_id);
    fm_gather_sweep(directory, false);
    return true;
}

/* A directory given by the user must exist; the usual ones come and go. */
static bool check_directory(const char *directory)
{
    struct stat st;
    errno = 0;
    if (stat(directory, &st) == 0 && S_ISDIR(st.st_mode))
        return true;
    fm_print_line(stderr, "fathom collect: %s: %s.\n", directory, errno ? strerror(errno) : "is not a directory");
    return false;
}

/* Collects everything that was requested, as the current user. */
static int collect(const struct collect_request *request)
{
    struct collect_counts tally = {.request = request};
    char usual[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    struct fm_error error;
    bool ok = true;
    size_t n = fm_node_directories(usual);
    if (request->directory)
        ok = collect_directory(request->directory, request, &tally);
    else if (!request->run_id && fm_node_directory_refused(&error))
        fm_print_line(stderr, "fathom collect: %s.\n", error.text);
    for (size_t i = 0; !request->directory && i < n; i++)
        ok = collect_directory(usual[i], request, &tally) && ok;
    if (ok && !request->quiet && !tally.written && !tally.running && !tally.failed && !tally.damaged)
        fm_print_line(stdout, "nothing to collect in %s\n",
                      request->directory ? request->directory
                      : n                ? usual[0]
                                         : "any directory");
    return ok && !tally.failed && !tally.damaged ? FM_EXIT_OK : FM_EXIT_FAILED;
}

/* ---- as root ---- */

/* In the child. The user must not inherit root's open files. */
static int collect_as(const struct stat *owner, const struct collect_request *request)
{
    closefrom(STDERR_FILENO + 1);
    if (!fm_drop_privileges(owner->st_uid, owner->st_gid)) {
        fm_print_line(stderr, "fathom collect: cannot switch to uid %u, the owner of %s.\n", (unsigned)owner->st_uid,
                      request->directory);
        return FM_EXIT_FAILED;
    }
    if (chdir("/") != 0 || (*request->output && access(request->output, W_OK | X_OK) != 0)) {
        fm_print_line(stderr, "fathom collect: the owner of %s (uid %u) cannot write to %s; give another directory.\n",
                      request->directory, (unsigned)owner->st_uid, request->output);
        return FM_EXIT_FAILED;
    }
    return collect(request);
}

/* The user can kill or stop the child. Both count as failure; a stopped child is not waited for. */
static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, WUNTRACED) < 0)
        if (errno != EINTR)
            return FM_EXIT_FAILED;
    if (WIFSTOPPED(status)) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    fputs("fathom collect: killed by the owner of the directory.\n", stderr);
    return FM_EXIT_FAILED;
}

/* Root collects the data of another user as that user, because the user's data determine where the profile is
 * written. */
static int collect_for(const struct stat *owner, const struct collect_request *request)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int status = collect_as(owner, request);
        fflush(NULL);
        _exit(status);
    }
    return child > 0 ? wait_for(child) : (perror("fathom collect"), FM_EXIT_FAILED);
}

static int collect_named(const struct collect_request *request)
{
    struct stat st;
    struct collect_request absolute = *request;
    char path[FM_FILE_PATH_BYTES], cwd[FM_FILE_PATH_BYTES / 2];
    if (!check_directory(request->directory))
        return FM_EXIT_FAILED;
    if (geteuid() != 0 || lstat(request->directory, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid == 0)
        return collect(request); /* fails for directories that are not ours */
    if (*request->directory != '/' && getcwd(cwd, sizeof cwd)) {
        snprintf(path, sizeof path, "%s/%.2000s", cwd, request->directory);
        absolute.directory = path;
    }
    return collect_for(&st, &absolute);
}

int fm_cmd_collect(int argc, char **argv)
{
    struct collect_request request = {0};
    int status = parse(argc, argv, &request);
    if (status)
        return status;
    if (request.help) {
        print_help();
        return FM_EXIT_OK;
    }
    if (request.run_id) {
        request.quiet = true;
        request.wait_seconds = request.wait_seconds ? request.wait_seconds : RUN_WAIT_SECONDS;
        if (request.directory) /* as its processes had it: with a fallback */
            setenv("FATHOM_DIR", request.directory, 1);
        request.directory = NULL;
        puts(FM_HOST_REACHED);
    }
    return request.directory ? collect_named(&request) : collect(&request);
}
