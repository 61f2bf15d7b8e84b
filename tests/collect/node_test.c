/* The segments of a job on a host become one profile. */
#include "collect/node.h"

#include "collect/one_node.h"
#include "merge/from_segment.h"
#include "merge/merge.h"
#include "model/note_codes.h"

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

int main(void)
{
    begin_node();
    test_merge();
    test_ends();
    test_missing();
    test_damaged_bodies();
    return end_node();
}
