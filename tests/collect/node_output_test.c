/* The profile of a host: where it is written, under which name, and with those of other hosts. */

#include "collect/one_node.h"

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
    begin_node();
    test_finish();
    test_names_of_profiles();
    test_parts();
    return end_node();
}
