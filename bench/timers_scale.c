/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of timers of a very large job:   timers_scale [tasks [timers [ocean|shapes|ranges [paper|rich]]]]
 *
 * Synthetic segments take the way of fathom_timers_report: each task makes its timers from its segment, adds those of
 * its two children in the tree, and hands the sum to its parent; the root makes the text. Here one process does the
 * work of all tasks, and prints its CPU time. The longest way to the root, on which every task waits for the one below
 * it, is timed with its messages, as if each task had a core of its own; the root's part of it is done by a process of
 * its own, for its memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "format/encode.h"
#include "merge/from_segment.h"
#include "merge/parts.h"
#include "merge/synthetic.h"
#include "status.h"
#include "timer_report/timer_rich.h"
#include "timer_report/timer_text.h"

enum { COLUMNS = 100 };

struct message {
    void *data;
    size_t size;
    double ready; /* when it is sent, with a core for each task */
};

static struct fm_synthetic job = {
    .ranks = 100000, .ranks_per_host = 64, .seed = 1, .timers = 100, .timing = FM_TIMING_OCEAN};
static void *segment;
static struct {
    double make, read, merge, messages;
} times;

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double peak_mib(void)
{
    return (double)status_kb("VmHWM") / 1024; /* of this program alone: getrusage remembers the one before exec */
}

static void fail(const struct fm_error *error)
{
    fprintf(stderr, "timers_scale: %s\n", error->text);
    exit(1);
}

/* Adds to *sum what has passed since *then. */
static void lap(double *sum, double *then)
{
    double now = cpu_seconds();
    *sum += now - *then;
    *then = now;
}

static struct fm_profile *own_timers(uint32_t rank, double *then)
{
    struct fm_profile *profile;
    struct fm_error error;
    fm_synthetic_segment(&job, rank, segment);
    lap(&times.make, then);
    if (fm_timers_from_segment(segment, fm_synthetic_bytes(&job), "synthetic", rank, 0, &profile, &error))
        fail(&error);
    lap(&times.read, then);
    return profile;
}

static struct fm_profile *join(struct fm_profile *timers, struct fm_profile *theirs, double *then)
{
    timers = fm_join_timers(timers, theirs);
    if (!timers)
        fail(&(struct fm_error){.text = "no memory"});
    lap(&times.merge, then);
    return timers;
}

static struct fm_profile *add_message(struct fm_profile *timers, const struct message *message, double *then)
{
    struct fm_profile *theirs;
    struct fm_error error;
    if (fm_profile_decode(message->data, message->size, "a message", &theirs, &error))
        fail(&error);
    lap(&times.messages, then);
    return join(timers, theirs, then);
}

static struct message message_of(const struct fm_profile *timers, double *then)
{
    struct fm_arena arena = {0};
    struct fm_error error;
    struct message message = {0};
    const void *data;
    if (fm_profile_encode_exact(timers, &arena, &data, &message.size, &error))
        fail(&error);
    message.data = malloc(message.size);
    memcpy(message.data, data, message.size);
    fm_arena_destroy(&arena);
    lap(&times.messages, then);
    return message;
}

/* All timers of a task and of those below it, without messages. */
static struct fm_profile *gather(uint32_t rank)
{
    struct fm_profile *children[2] = {NULL, NULL};
    for (uint32_t i = 0; i < 2; i++)
        if (2 * rank + 1 + i < job.ranks)
            children[i] = gather(2 * rank + 1 + i);
    double then = cpu_seconds();
    struct fm_profile *timers = own_timers(rank, &then);
    for (int i = 0; i < 2; i++)
        if (children[i])
            timers = join(timers, children[i], &then);
    return timers;
}

/* The same for the tasks 1, 3, 7 ..., with the messages of their children. */
static struct message gather_messages(uint32_t rank)
{
    struct message children[2] = {{0}, {0}}, message;
    double unused = cpu_seconds();
    if (2 * rank + 1 < job.ranks)
        children[0] = gather_messages(2 * rank + 1);
    if (2 * rank + 2 < job.ranks) {
        struct fm_profile *other = gather(2 * rank + 2);
        children[1] = message_of(other, &unused);
        fm_profile_destroy(other);
    }
    double then = cpu_seconds(), made = times.make, start = then;
    struct fm_profile *timers = own_timers(rank, &then);
    for (int i = 0; i < 2; i++) {
        if (children[i].data)
            timers = add_message(timers, &children[i], &then);
        free(children[i].data);
    }
    message = message_of(timers, &then);
    message.ready = children[0].ready + then - start - (times.make - made);
    fm_profile_destroy(timers);
    return message;
}

static void write_message(const char *name, struct message message)
{
    FILE *file = fopen(name, "w");
    if (!file || fwrite(message.data, 1, message.size, file) != message.size || fclose(file) != 0)
        fail(&(struct fm_error){.text = "cannot write a message"});
    free(message.data);
}

static struct message read_message(const char *name)
{
    struct message message = {0};
    FILE *file = fopen(name, "r");
    if (!file)
        return message;
    fseek(file, 0, SEEK_END);
    message.size = (size_t)ftell(file);
    rewind(file);
    message.data = malloc(message.size);
    if (fread(message.data, 1, message.size, file) != message.size)
        fail(&(struct fm_error){.text = "cannot read a message"});
    fclose(file);
    unlink(name);
    return message;
}

static const char *text_of(const struct fm_profile *timers, const char *layout, struct fm_arena *arena)
{
    if (strcmp(layout, "rich") == 0) {
        struct fm_timer_rich rich = {.tasks = job.ranks};
        return fm_timers_rich(timers->timers, timers->n_timers, &rich, arena);
    }
    struct fm_timer_layout paper = {.columns = COLUMNS, .tasks = job.ranks};
    return fm_timers_text(timers->timers, timers->n_timers, &paper, arena);
}

static void be_root(const char *messages[2], const char *layout)
{
    double then = cpu_seconds(), text_s = 0;
    struct fm_arena arena = {0};
    struct fm_profile *timers = own_timers(0, &then);
    size_t bytes = 0;
    for (int i = 0; i < 2; i++) {
        struct message message = read_message(messages[i]);
        bytes += message.size;
        then = cpu_seconds();
        if (message.data)
            timers = add_message(timers, &message, &then);
        free(message.data);
    }
    double before_mib = peak_mib();
    const char *text = text_of(timers, layout, &arena);
    if (!text)
        fail(&(struct fm_error){.text = "no memory for the text"});
    lap(&text_s, &then);
    size_t groups = 0;
    for (size_t i = 0; i < timers->n_timers; i++)
        groups += timers->timers[i].n_groups;
    printf("  root alone            %8.2f s of CPU: messages %.2f s, text %.2f s\n",
           times.read + times.messages + times.merge + text_s, times.messages + times.merge, text_s);
    printf("  root's memory         %8.1f MiB at most, %.1f MiB before the text; messages to it %.1f MiB\n", peak_mib(),
           before_mib, (double)bytes / (1 << 20));
    printf("  text                  %8.1f kB; %zu groups of tasks in %zu timers\n", (double)strlen(text) / 1000, groups,
           timers->n_timers);
    fm_arena_destroy(&arena);
    fm_profile_destroy(timers);
}

static void parse(int argc, char **argv)
{
    static const char *const kinds[] = {"plain", "ocean", "shapes", "ranges"};
    if (argc > 1)
        job.ranks = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        job.timers = (uint32_t)strtoul(argv[2], NULL, 10);
    for (int i = 0; argc > 3 && i < 4; i++)
        if (strcmp(argv[3], kinds[i]) == 0)
            job.timing = (enum fm_synthetic_timing)i;
}

int main(int argc, char **argv)
{
    const char *messages[] = {"timers_scale.1", "timers_scale.2"};
    double ready, then = cpu_seconds();
    parse(argc, argv);
    if (job.ranks < 3)
        return 2;
    segment = aligned_alloc(64, fm_synthetic_bytes(&job));
    if (argc > 5) { /* started by the lines below */
        be_root(messages, argv[4]);
        return 0;
    }
    struct message first = gather_messages(1);
    struct fm_profile *other = gather(2);
    ready = first.ready;
    write_message(messages[0], first);
    write_message(messages[1], message_of(other, &then));
    fm_profile_destroy(other);
    printf("%u tasks, %u timers, %s\n", job.ranks, job.timers, argc > 3 ? argv[3] : "ocean");
    printf("  making the segments   %8.2f s (not counted)\n", times.make);
    printf("  timers of segments    %8.2f s\n", times.read);
    printf("  merging               %8.2f s\n", times.merge);
    printf("  together              %8.2f s of CPU\n", times.read + times.merge);
    printf("  on the way to the root %7.2f s\n", ready);
    fflush(stdout);
    char ranks[16], timers[16];
    snprintf(ranks, sizeof ranks, "%u", job.ranks);
    snprintf(timers, sizeof timers, "%u", job.timers);
    execl("/proc/self/exe", argv[0], ranks, timers, argc > 3 ? argv[3] : "ocean", argc > 4 ? argv[4] : "paper", "root",
          (char *)NULL);
    return 1;
}
