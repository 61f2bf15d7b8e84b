#include "collect/node.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/node_files.h"
#include "collect/synthetic_hosts.h"
#include "format/encode.h"
#include "merge/from_segment.h"
#include "merge/merge.h"
#include "model/note_codes.h"
#include "tap.h"

static const struct fm_synthetic job = {
    .ranks = 4, .routines = 5, .sites = 6, .neighbours = 2, .ranks_per_host = 4, .regions = 2, .seed = 1};
enum { SEGMENT_BYTES = 512 << 10 };

static char top[FM_FILE_PATH_BYTES / 4], segments[FM_FILE_PATH_BYTES / 2], out[FM_FILE_PATH_BYTES / 2];
static struct fm_node_here here;
static pid_t dead_pid; /* of a process that has ended */
static uint64_t dead_start;

static char *in(const char *directory, const char *name)
{
    static char paths[4][FM_FILE_PATH_BYTES];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, FM_FILE_PATH_BYTES, "%s/%s", directory, name);
    return path;
}

static void empty(const char *directory)
{
    char command[2 * FM_FILE_PATH_BYTES + 32];
    snprintf(command, sizeof command, "rm -rf '%s' && mkdir -m 700 '%s'", directory, directory);
    if (system(command) != 0)
        exit(1);
}

static size_t count_files(const char *directory, const char *end)
{
    char command[FM_FILE_PATH_BYTES], text[32] = "";
    snprintf(command, sizeof command, "find '%s' -mindepth 1 -name '*%s' | wc -l", directory, end);
    FILE *pipe = popen(command, "r");
    if (!pipe || !fgets(text, sizeof text, pipe))
        exit(1);
    pclose(pipe);
    return (size_t)atoi(text);
}

/* The segment of a rank whose process was dead_pid + rank (there is none with that start time). */
static struct fm_segment_header *fresh(uint32_t rank)
{
    size_t bytes = fm_synthetic_bytes(&job);
    if (bytes > SEGMENT_BYTES)
        exit(1);
    struct fm_segment_header *header = aligned_alloc(64, SEGMENT_BYTES);
    memset(header, 0, SEGMENT_BYTES);
    fm_synthetic_segment(&job, rank, header);
    header->segment_bytes = SEGMENT_BYTES;
    memcpy(header->magic, FM_SEGMENT_MAGIC, sizeof header->magic);
    snprintf(header->boot_id, sizeof header->boot_id, "%s", here.boot_id);
    snprintf(header->host, sizeof header->host, "%s", here.host);
    snprintf(header->job_key, sizeof header->job_key, "job-1");
    snprintf(header->run_id, sizeof header->run_id, "run-1");
    header->pid_namespace = here.pid_namespace;
    header->pid = (int32_t)(dead_pid + (int)rank);
    header->start_time = dead_start;
    return header;
}

static char *segment_path(const struct fm_segment_header *header)
{
    static char path[FM_FILE_PATH_BYTES];
    fm_segment_file_path(segments, header, path);
    return path;
}

/* Writes the file and frees the segment. */
static void put(struct fm_segment_header *header)
{
    fm_write_file(segment_path(header), header, SEGMENT_BYTES);
    free(header);
}

static void put_all(void)
{
    empty(segments);
    for (uint32_t rank = 0; rank < job.ranks; rank++)
        put(fresh(rank));
}

static struct fm_profile *merge(bool for_collector)
{
    struct fm_profile *profile = NULL;
    struct fm_error error = {0};
    if (fm_node_merge(segments, "job-1", NULL, 0, for_collector, &profile, &error) != FM_OK)
        printf("# %s\n", error.text);
    return profile;
}

static bool same(const struct fm_profile *a, const struct fm_profile *b)
{
    struct fm_arena arena = {0};
    const void *bytes_a, *bytes_b;
    size_t size_a, size_b;
    bool equal = a && b && fm_profile_encode_exact(a, &arena, &bytes_a, &size_a, NULL) == FM_OK &&
                 fm_profile_encode_exact(b, &arena, &bytes_b, &size_b, NULL) == FM_OK && size_a == size_b &&
                 memcmp(bytes_a, bytes_b, size_a) == 0;
    fm_arena_destroy(&arena);
    return equal;
}

static uint64_t calls(const struct fm_profile *profile)
{
    uint64_t sum = 0;
    for (size_t i = 0; profile && i < profile->n_routines; i++)
        sum += profile->routines[i].stats.count;
    return sum;
}

static void test_names(void)
{
    struct fm_segment_name name;
    tap_ok(fm_segment_name_parse("ompi-1_a.12.345.678.segment", &name) && strcmp(name.job_key, "ompi-1_a") == 0 &&
               name.pid == 12 && name.start_time == 345 && name.pid_namespace == 678,
           "a segment's name is understood");
    static const char *const bad[] = {"",
                                      ".1.2.3.segment",
                                      "a.1.2.segment",
                                      "a.1.2.3.segment.tmp",
                                      "a/b.1.2.3.segment",
                                      "a.-1.2.3.segment",
                                      "a.0.2.3.segment",
                                      "a.99999999999.2.3.segment",
                                      "a.1.99999999999999999999999.3.segment",
                                      "a.1.2.3.job",
                                      "a b.1.2.3.segment"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(!fm_segment_name_parse(bad[i], &name), "not a segment's name: '%s'", bad[i]);
}

static void test_directory(void)
{
    struct stat st;
    char *made = in(top, "made"), *link = in(top, "link"), *file = in(top, "file");
    tap_ok(fm_node_directory_make(made, NULL) == FM_OK && stat(made, &st) == 0 && (st.st_mode & 0777) == 0700,
           "the directory is made for the user alone");
    tap_ok(fm_node_directory_make(made, NULL) == FM_OK, "it is taken as it is the second time");
    struct fm_error error = {0};
    chmod(made, 0750);
    tap_ok(fm_node_directory_make(made, &error) == FM_ERR_SYSTEM && strstr(error.text, "chmod 700"),
           "one that is open to others is refused, with the fix");
    tap_ok(symlink(segments, link) == 0 && fm_node_directory_make(link, NULL) == FM_ERR_SYSTEM, "a symlink is refused");
    fm_write_file(file, "", 0);
    tap_ok(fm_node_directory_make(file, NULL) == FM_ERR_SYSTEM, "a file is refused");
}

static void *stay(void *argument)
{
    pause();
    return argument;
}

/* A process whose first thread leaves while another one stays. */
static pid_t start_without_first(void)
{
    pthread_t thread;
    pid_t pid = fork();
    if (pid == 0) {
        pthread_create(&thread, NULL, stay, NULL);
        pthread_exit(NULL);
    }
    return pid;
}

static char state_of(pid_t pid)
{
    char path[40], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    if (file)
        fclose(file);
    return state;
}

static void test_processes(void)
{
    uint64_t start = fm_process_start_time(getpid());
    tap_ok(start > 0 && fm_process_alive(getpid(), start), "this process lives");
    tap_ok(!fm_process_alive(getpid(), start + 1), "another with its pid does not");
    tap_ok(!fm_process_alive(dead_pid, dead_start) && fm_process_start_time(0) == 0, "one that has ended is dead");
    pid_t zombie = fork();
    if (zombie == 0)
        _exit(0);
    siginfo_t info;
    waitid(P_PID, (id_t)zombie, &info, WEXITED | WNOWAIT);
    tap_ok(fm_process_start_time(zombie) > 0 && !fm_process_alive(zombie, fm_process_start_time(zombie)),
           "a zombie is dead");
    waitpid(zombie, NULL, 0);
    pid_t living = start_without_first();
    while (state_of(living) && state_of(living) != 'Z')
        usleep(1000);
    tap_ok(fm_process_alive(living, fm_process_start_time(living)), "not so one of which other threads go on");
    kill(living, SIGKILL);
    waitpid(living, NULL, 0);
}

static void test_scan(void)
{
    struct fm_node_list list;
    tap_ok(fm_node_scan(in(top, "nowhere"), NULL, NULL, &list, NULL) == FM_OK && list.n == 0,
           "a missing directory is an empty list");
    empty(segments);
    for (uint32_t rank = job.ranks; rank-- > 0;)
        put(fresh(rank));
    struct fm_segment_header *living = fresh(0);
    snprintf(living->job_key, sizeof living->job_key, "a-job");
    snprintf(living->run_id, sizeof living->run_id, "run-2");
    living->pid = getpid();
    living->start_time = fm_process_start_time(getpid());
    put(living);
    fm_write_file(in(segments, "notes.txt"), "x", 1);
    tap_ok(fm_node_scan(segments, NULL, NULL, &list, NULL) == FM_OK && list.n == 5 && list.damaged == 0,
           "all segments are found, and nothing else");
    bool sorted = strcmp(list.items[0].job_key, "a-job") == 0;
    for (size_t i = 1; i < list.n; i++)
        sorted = sorted && list.items[i].rank == (int32_t)i - 1;
    tap_ok(sorted, "sorted by job and rank");
    tap_ok(list.items[0].alive && !list.items[1].alive && !list.items[0].foreign, "the living and the dead");
    fm_node_list_destroy(&list);
    fm_node_scan(segments, "job-1", NULL, &list, NULL);
    tap_ok(list.n == 4, "of one job");
    fm_node_list_destroy(&list);
    fm_node_scan(segments, NULL, "run-2", &list, NULL);
    tap_ok(list.n == 1, "of one run");
    fm_node_list_destroy(&list);
}

static void test_whereabouts(void)
{
    static const struct {
        const char *boot, *host;
        uint64_t other_namespace;
        bool alive, foreign;
        const char *what;
    } cases[] = {{NULL, NULL, 1, true, true, "another pid namespace of this host"},
                 {"another-boot", NULL, 0, false, false, "this host before it was restarted"},
                 {"another-boot", NULL, 1, false, false, "a container before this host was restarted"},
                 {"another-boot", "another-host", 0, true, true, "another host with the same directory"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fm_node_list list;
        struct fm_segment_header *header = fresh(0);
        empty(segments);
        if (cases[i].boot)
            snprintf(header->boot_id, sizeof header->boot_id, "%s", cases[i].boot);
        if (cases[i].host)
            snprintf(header->host, sizeof header->host, "%s", cases[i].host);
        header->pid_namespace += cases[i].other_namespace;
        put(header);
        fm_node_scan(segments, NULL, NULL, &list, NULL);
        tap_ok(list.n == 1 && list.items[0].alive == cases[i].alive && list.items[0].foreign == cases[i].foreign,
               "a process of %s is %s", cases[i].what, cases[i].alive ? "taken for alive" : "dead");
        fm_node_list_destroy(&list);
    }
}

static void test_damaged_heads(void)
{
    struct fm_node_list list;
    struct fm_segment_header *header = fresh(0);
    empty(segments);
    fm_write_file(segment_path(header), header, 100);
    header->pid++;
    fm_write_file(segment_path(header), header, SEGMENT_BYTES - 1);
    header->pid++;
    header->magic[0] ^= 1;
    fm_write_file(segment_path(header), header, SEGMENT_BYTES);
    header->pid++;
    header->magic[0] ^= 1;
    header->version++;
    fm_write_file(segment_path(header), header, SEGMENT_BYTES);
    header->pid++;
    header->version--;
    char *named_otherwise = in(segments, "job-1.77.1.2.segment"), *link = in(segments, "job-1.78.1.2.segment"),
         *pipe = in(segments, "job-1.79.1.2.segment");
    fm_write_file(named_otherwise, header, SEGMENT_BYTES);
    if (symlink(named_otherwise, link) != 0 || mkfifo(pipe, 0600) != 0)
        exit(1);
    tap_ok(fm_node_scan(segments, NULL, NULL, &list, NULL) == FM_OK && list.n == 0 && list.damaged == 7,
           "cut, foreign, future and misnamed files, links and pipes are no segments");
    tap_ok(strstr(list.damaged_example, segments) != NULL, "one of them is named: %s", list.damaged_example);
    fm_node_list_destroy(&list);

    empty(segments);
    fm_write_file(in(segments, "job-1.80.1.2.segment"), "", 0);
    memset(header, 0, sizeof *header);
    fm_write_file(in(segments, "job-1.81.1.2.segment"), header, sizeof *header);
    tap_ok(fm_node_scan(segments, NULL, NULL, &list, NULL) == FM_OK && list.n == 0 && list.damaged == 0,
           "files that were never set up are passed over");
    fm_node_list_destroy(&list);
    free(header);
}

static void test_merge(void)
{
    struct fm_profile *expected = fm_profile_create(), *part, *all;
    put_all();
    for (uint32_t rank = 0; rank < job.ranks; rank++) {
        struct fm_segment_header *header = fresh(rank);
        if (fm_profile_from_segment(NULL, header, SEGMENT_BYTES, "it", FM_END_UNKNOWN, 0, 0, &part, NULL) != FM_OK ||
            fm_profile_merge(expected, part, NULL) != FM_OK)
            exit(1);
        fm_profile_destroy(part);
        free(header);
    }
    all = merge(false);
    tap_ok(same(all, expected), "reading only the used parts of the files loses nothing");
    fm_profile_destroy(all);

    struct fm_segment_header *own = fresh(2);
    unlink(segment_path(own));
    fm_write_file(segment_path(own), "a file that must not be read", 28);
    struct fm_error error = {0};
    tap_ok(fm_node_merge(segments, "job-1", own, SEGMENT_BYTES, false, &all, &error) == FM_OK && same(all, expected),
           "the caller's own segment is used instead of its file");
    fm_profile_destroy(all);
    tap_ok(fm_node_merge(NULL, "job-1", own, SEGMENT_BYTES, false, &all, &error) == FM_OK && all->n_processes == 1,
           "a process whose segment has no file is merged alone");
    fm_profile_destroy(all);
    free(own);
    fm_profile_destroy(expected);
    tap_ok(fm_node_merge(segments, "job-none", NULL, 0, true, &all, &error) == FM_ERR_INPUT && error.text[0],
           "a job without segments is an error");
}

static void test_ends(void)
{
    static const struct {
        uint32_t leave;
        int32_t leave_code;
        uint32_t seen;
        int32_t seen_code;
        uint32_t flags;
        enum fm_end end;
        int32_t code;
    } cases[] = {
        {FM_LEAVE_UNKNOWN, 0, 0, 0, 0, FM_END_VANISHED, 0},
        {FM_LEAVE_UNKNOWN, 0, FM_END_SIGNALLED, 9, 0, FM_END_SIGNALLED, 9},
        {FM_LEAVE_UNKNOWN, 0, FM_END_EXITED, 3, 0, FM_END_EXITED, 3},
        {FM_LEAVE_EXIT, -1, FM_END_EXITED, 3, 0, FM_END_EXITED, 3},
        {FM_LEAVE_EXIT, 4, 0, 0, 0, FM_END_EXITED, 4},
        {FM_LEAVE_ABORT, 7, FM_END_SIGNALLED, 6, 0, FM_END_ABORTED, 7},
        {FM_LEAVE_ABORT, 7, 0, 0, 0, FM_END_ABORTED, 7},
        {FM_LEAVE_EXEC, 0, FM_END_EXITED, 0, 0, FM_END_REPLACED, 0},
        {FM_LEAVE_FINALIZE, 0, 0, 0, 0, FM_END_FINALIZED, 0},
        {FM_LEAVE_FINALIZE, 0, FM_END_EXITED, 0, 0, FM_END_FINALIZED, 0},
        {FM_LEAVE_FINALIZE, 0, FM_END_SIGNALLED, 11, 0, FM_END_SIGNALLED, 11},
        {FM_LEAVE_EXIT, 0, FM_END_EXITED, 0, FM_FLAG_NO_MPI, FM_END_FINALIZED, 0},
        {FM_LEAVE_UNKNOWN, 0, FM_END_SIGNALLED, 15, FM_FLAG_NO_MPI, FM_END_SIGNALLED, 15},
        {FM_LEAVE_UNKNOWN, 0, 99, 15, 0, FM_END_VANISHED, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fm_segment_header *header = fresh(0);
        empty(segments);
        header->world_size = 1;
        header->state = FM_STATE_RUNNING;
        header->leave = cases[i].leave;
        header->leave_code = cases[i].leave_code;
        header->seen_end = cases[i].seen;
        header->seen_code = cases[i].seen_code;
        header->flags = cases[i].flags;
        put(header);
        struct fm_profile *all = merge(true);
        char text[200];
        tap_ok(all && all->n_processes == 1 && all->processes[0].end == cases[i].end &&
                   all->processes[0].end_code == cases[i].code,
               "leave %u, seen %u: %s", cases[i].leave, cases[i].seen,
               all ? fm_end_text(all->processes[0].end, all->processes[0].end_code, text, sizeof text) : "nothing");
        fm_profile_destroy(all);
    }
}

static void test_missing(void)
{
    put_all();
    struct fm_segment_header *gone = fresh(1);
    unlink(segment_path(gone));
    free(gone);
    struct fm_profile *all = merge(true);
    tap_ok(all && all->n_processes == 4 && all->processes[1].end == FM_END_MISSING && !fm_profile_complete(all),
           "a rank without a segment is missing");
    fm_profile_destroy(all);
    empty(segments);
    struct fm_segment_header *header = fresh(0);
    header->world_size = INT32_MAX;
    put(header);
    all = merge(true);
    tap_ok(all == NULL || all->n_processes <= 1 << 20, "a hostile world size does not fill the memory");
    fm_profile_destroy(all);
}

static void test_damaged_bodies(void)
{
    put_all();
    struct fm_segment_header *header = fresh(1);
    header->sections[FM_SECTION_ENTRIES].offset = SEGMENT_BYTES - 64;
    put(header);
    struct fm_profile *all = merge(true);
    bool noted = false;
    for (size_t i = 0; all && i < all->n_notes; i++)
        noted |= all->notes[i].code == FM_NOTE_DAMAGED_SEGMENTS && all->notes[i].amount == 1;
    tap_ok(all && noted && all->processes[1].end == FM_END_MISSING, "a damaged segment is left out, and that is noted");
    char path[FM_FILE_PATH_BYTES];
    if (all)
        all->job.output = in(out, "d.fathom");
    tap_ok(all && fm_node_finish(segments, all, false, path, NULL) == FM_OK && count_files(segments, ".segment") == 1,
           "its file stays when the others have gone");
    fm_profile_destroy(all);
    struct fm_error error = {0};
    tap_ok(fm_node_merge(segments, "job-1", NULL, 0, true, &all, &error) == FM_ERR_INPUT &&
               strstr(error.text, segments),
           "alone it is an error that names it: %s", error.text);
}

/* Collects what lies in `segments` into out/NAME; the path it really went to. */
static const char *collect(const char *name, const char *run_id)
{
    static char path[FM_FILE_PATH_BYTES];
    struct fm_error error = {0};
    struct fm_profile *all = merge(true);
    snprintf(path, sizeof path, "nothing");
    if (!all)
        return path;
    all->job.output = in(out, name);
    if (run_id)
        all->job.run_id = run_id;
    if (fm_node_finish(segments, all, false, path, &error) != FM_OK)
        snprintf(path, sizeof path, "%s", error.text);
    fm_profile_destroy(all);
    return path;
}

static void test_finish(void)
{
    empty(out);
    put_all();
    fm_write_file(in(segments, "job-1.job"), "x", 1);
    fm_write_file(in(segments, "job-2.job"), "x", 1);
    const char *path = collect("a.fathom", NULL);
    struct fm_profile *read = NULL;
    tap_ok(strcmp(path, in(out, "a.fathom")) == 0 && fm_profile_read(path, &read, NULL) == FM_OK &&
               fm_profile_complete(read),
           "the profile is written where it was asked for");
    fm_profile_destroy(read);
    tap_ok(count_files(segments, ".segment") == 0 && access(in(segments, "job-1.job"), F_OK) != 0 &&
               access(in(segments, "job-2.job"), F_OK) == 0,
           "then the job's files are removed, and no others");
    char line[FM_FILE_PATH_BYTES] = "";
    FILE *file = fopen(in(segments, "run-1.run"), "r");
    tap_ok(file && fgets(line, sizeof line, file) && strncmp(line, path, strlen(path)) == 0, "and the run is told");
    if (file)
        fclose(file);

    put_all();
    struct fm_profile *all = merge(true);
    struct fm_segment_header *late = fresh(0);
    late->pid = getpid();
    put(late);
    all->job.output = in(out, "late.fathom");
    char written[FM_FILE_PATH_BYTES];
    tap_ok(fm_node_finish(segments, all, false, written, NULL) == FM_OK && count_files(segments, ".segment") == 1,
           "a segment that came after the merge stays");
    fm_profile_destroy(all);

    put_all();
    all = merge(true);
    all->job.output = in(top, "no/such/directory/a.fathom");
    struct fm_error error = {0};
    tap_ok(fm_node_finish(segments, all, false, written, &error) == FM_ERR_SYSTEM &&
               count_files(segments, ".segment") == 4,
           "without a durable profile nothing is removed: %s", error.text);
    fm_profile_destroy(all);
}

/* Whether the profile is written there, in `out`. */
static bool is_written_to(struct fm_profile *profile, const char *name)
{
    char path[FM_FILE_PATH_BYTES] = "nowhere";
    enum fm_status status = fm_node_finish(segments, profile, false, path, NULL);
    if (status == FM_OK && strcmp(path, in(out, name)) == 0)
        return true;
    printf("# written to %s\n", path);
    return false;
}

static void test_names_of_profiles(void)
{
    empty(out);
    put_all();
    struct fm_profile *all = merge(true);
    all->job.output = out;
    tap_ok(is_written_to(all, "ocean.4711.fathom"), "in a directory: program and job");
    all->job.output = "";
    all->job.cwd = out;
    all->job.exe = "/x/my prog;rm";
    all->job.id = "../..//7";
    tap_ok(is_written_to(all, "my_prog_rm..._..__7.fathom"), "nothing of a segment leads elsewhere");
    fm_profile_destroy(all);

    put_all();
    fm_write_file(in(out, "other.fathom"), "not a profile", 13);
    fm_write_file(in(out, "empty.fathom"), "", 0);
    tap_ok(strcmp(collect("other.fathom", NULL), in(out, "other-2.fathom")) == 0,
           "what is no profile is not overwritten");
    put_all();
    tap_ok(strcmp(collect("empty.fathom", NULL), in(out, "empty.fathom")) == 0, "an empty file is");

    /* another job, of the same run and of another */
    for (int rank = 0; rank < 2; rank++) {
        struct fm_segment_header *header = fresh(0);
        header->world_size = 1;
        snprintf(header->job_key, sizeof header->job_key, "job-1");
        put(header);
    }
    struct fm_profile *other = merge(true);
    other->job.key = "job-9";
    other->job.output = in(out, "empty.fathom");
    tap_ok(is_written_to(other, "empty-2.fathom"), "a second job of a run gets a name of its own");
    other->job.run_id = "";
    tap_ok(is_written_to(other, "empty-2.fathom"), "a job without `fathom run` replaces nothing");
    other->job.run_id = "run-9";
    tap_ok(is_written_to(other, "empty.fathom"), "a later run with the same -o replaces the earlier one's");
    fm_profile_destroy(other);
}

static void test_parts(void)
{
    struct fm_profile *whole, *read = NULL;
    empty(out);
    put_all();
    whole = merge(true);
    /* two hosts, one after the other */
    empty(segments);
    put(fresh(0));
    put(fresh(2));
    char first[FM_FILE_PATH_BYTES];
    snprintf(first, sizeof first, "%s", collect("a.fathom", NULL));
    fm_profile_read(first, &read, NULL);
    tap_ok(read && read->n_processes == 4 && !fm_profile_complete(read), "the first half misses the second");
    fm_profile_destroy(read);
    read = NULL;
    put(fresh(1));
    put(fresh(3));
    tap_ok(strcmp(collect("a.fathom", NULL), first) == 0 && fm_profile_read(first, &read, NULL) == FM_OK &&
               fm_profile_complete(read) && calls(read) == calls(whole),
           "the second half goes into the same profile, and then it is whole");
    fm_profile_destroy(read);
    read = NULL;
    put(fresh(3));
    tap_ok(strcmp(collect("a.fathom", NULL), first) == 0 && fm_profile_read(first, &read, NULL) == FM_OK &&
               calls(read) == calls(whole) && count_files(segments, ".segment") == 0,
           "a segment that is in it already is only removed");
    fm_profile_destroy(read);
    fm_profile_destroy(whole);
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(top, sizeof top, "%.900s/node-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(top))
        return 1;
    snprintf(segments, sizeof segments, "%s/segments", top);
    snprintf(out, sizeof out, "%s/out", top);
    empty(segments);
    empty(out);
    fm_node_here(&here);
    dead_pid = fork();
    if (dead_pid == 0) {
        pause();
        _exit(0);
    }
    dead_start = fm_process_start_time(dead_pid);
    kill(dead_pid, SIGKILL);
    waitpid(dead_pid, NULL, 0);
    test_names();
    test_directory();
    test_processes();
    test_scan();
    test_whereabouts();
    test_damaged_heads();
    test_merge();
    test_ends();
    test_missing();
    test_damaged_bodies();
    test_finish();
    test_names_of_profiles();
    test_parts();
    char command[FM_FILE_PATH_BYTES];
    snprintf(command, sizeof command, "rm -rf '%s'", top);
    return system(command) != 0 ? 1 : tap_done();
}
