/* Which segments lie in a directory: their names, whose they are, damaged ones. */

#include <pthread.h>
#include <sys/stat.h>

#include "collect/one_node.h"

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

int main(void)
{
    begin_node();
    test_names();
    test_directory();
    test_processes();
    test_scan();
    test_whereabouts();
    test_damaged_heads();
    return end_node();
}
