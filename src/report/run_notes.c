/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/run_notes.h"

#include <inttypes.h>
#include <string.h>

#include "analyse/balance/core_use.h"
#include "base/commit.h"
#include "base/units.h"
#include "render/text.h"

struct note_search {
    struct fm_run_notes *notes;
    struct fm_arena *arena;
    const struct fm_noted_run *runs;
    size_t n;
    enum fm_scale_mode mode;
};

void fm_run_notes_add(struct fm_run_notes *notes, struct fm_arena *arena, const char *sentence)
{
    void *grown = fm_arena_grow(arena, notes->items, &notes->capacity, notes->n + 1, sizeof *notes->items);
    if (!grown)
        return;
    notes->items = grown;
    notes->items[notes->n++] = sentence;
}

static void note(const struct note_search *search, const char *sentence)
{
    fm_run_notes_add(search->notes, search->arena, sentence);
}

static const char *arguments_text(struct fm_arena *arena, const struct fm_job *job)
{
    const char *text = "";
    for (size_t i = 1; i < job->n_argv; i++)
        text = fm_format(arena, "%s%s%s", text, i > 1 ? " " : "", job->argv[i]);
    return text;
}

const char *fm_run_difference(struct fm_arena *arena, const struct fm_job *a, const char *a_file,
                              const struct fm_job *b, const char *b_file)
{
    const char *from = arguments_text(arena, a), *to = arguments_text(arena, b), *ranks = "", *arguments = "";
    if (a->ranks != b->ranks)
        ranks = fm_format(arena, "%u ranks (%s), %u ranks (%s)", a->ranks, a_file, b->ranks, b_file);
    if (strcmp(from, to) != 0)
        arguments = fm_format(arena, "arguments '%s' (%s), '%s' (%s)", from, a_file, to, b_file);
    return fm_format(arena, "%s%s%s", ranks, ranks[0] && arguments[0] ? "; " : "", arguments);
}

/* ": commit 3f2a91c7d0" if it is known. */
static const char *commit_text(const struct note_search *search, const struct fm_job *job)
{
    char commit[FM_COMMIT_SHORT];
    return job->commit[0] ? fm_format(search->arena, ": commit %s", fm_commit_short(commit, job->commit)) : "";
}

static void compare_jobs(const struct note_search *search, const struct fm_noted_run *before,
                         const struct fm_noted_run *run)
{
    const struct fm_job *a = &before->report->profile->job, *b = &run->report->profile->job;
    const char *one = before->report->summary.name, *other = run->report->summary.name;
    if (strcmp(one, other) != 0)
        note(search, fm_format(search->arena, "these are different programs: %s (%s), %s (%s)", one, before->label,
                               other, run->label));
    else if (strcmp(a->build_id, b->build_id) != 0)
        note(search, fm_format(search->arena, "the runs used different builds of %s (%s%s, %s%s)", other, before->label,
                               commit_text(search, a), run->label, commit_text(search, b)));
    if (strcmp(a->mpi, b->mpi) != 0)
        note(search, fm_format(search->arena, "the MPI differs: %s (%s), %s (%s)", a->mpi[0] ? a->mpi : "none",
                               before->label, b->mpi[0] ? b->mpi : "none", run->label));
    const char *from = arguments_text(search->arena, a), *to = arguments_text(search->arena, b);
    if (search->mode != FM_SCALE_WEAK && strcmp(from, to) != 0)
        note(search, fm_format(search->arena, "the arguments differ: '%s' (%s), '%s' (%s)", from, before->label, to,
                               run->label));
}

static void note_incomplete(const struct note_search *search, const struct fm_noted_run *run)
{
    const struct fm_summary *summary = &run->report->summary;
    if (!summary->complete)
        note(search, fm_format(search->arena, "%s is incomplete: %" PRIu64 " of %u rank%s did not end normally",
                               run->file, summary->ended_badly, summary->ranks, summary->ranks == 1 ? "" : "s"));
}

static void note_left_out(const struct note_search *search, const struct fm_noted_run *run)
{
    const char *left_out = fm_part_left_out(run->report, FM_SHOWS_CALLS | FM_SHOWS_PATHS | FM_SHOWS_TIMERS);
    if (left_out[0])
        note(search, fm_format(search->arena, "%s: %s", run->file, left_out));
}

/* "4 ranks on 2 cores", "A: without a CPU for 12 % of the time", "A: 80 preemptions per second", of CPU time */
static const char *lack_text(const struct note_search *search, const struct fm_noted_run *run,
                             const struct fm_core_use *use)
{
    const char *lack = fm_lack_text(search->arena, use);
    bool named = use->lack == FM_CORES_FEWER_THAN_RANKS && search->mode != FM_SCALE_SAME;
    return named || !lack[0] ? lack : fm_format(search->arena, "%s: %s", run->label, lack);
}

/* Then nothing else that is said about the times is certain. */
static void note_cores(const struct note_search *search)
{
    const char *text = "";
    for (size_t i = 0; i < search->n; i++) {
        struct fm_core_use use = fm_core_use(search->runs[i].report->profile);
        const char *lack = lack_text(search, &search->runs[i], &use);
        if (lack[0])
            text = fm_format(search->arena, "%s%s%s", text, text[0] ? ", " : "", lack);
    }
    if (text[0])
        note(search, fm_format(search->arena,
                               "ranks had no cores of their own (%s): times include waiting for a core, so these runs "
                               "do not show how the program behaves on cores of its own",
                               text));
}

void fm_run_notes_find(struct fm_run_notes *notes, const struct fm_noted_run *runs, size_t n, enum fm_scale_mode mode,
                       bool compared, struct fm_arena *arena)
{
    const struct note_search search = {notes, arena, runs, n, mode};
    note_cores(&search);
    notes->n_doubts = notes->n;
    for (size_t i = 1; compared && i < n; i++)
        compare_jobs(&search, &runs[i - 1], &runs[i]);
    for (size_t i = 0; i < n; i++) {
        note_incomplete(&search, &runs[i]);
        note_left_out(&search, &runs[i]);
    }
}

static void print_notes(const struct fm_run_notes *notes, size_t first, size_t end, struct fm_arena *arena, FILE *out)
{
    for (size_t i = first; i < end; i++)
        fm_print_folded(out, fm_format(arena, "Note: %s.", notes->items[i]), 2);
}

void fm_run_notes_print_doubts(const struct fm_run_notes *notes, struct fm_arena *arena, FILE *out)
{
    print_notes(notes, 0, notes->n_doubts, arena, out);
}

void fm_run_notes_print(const struct fm_run_notes *notes, struct fm_arena *arena, FILE *out)
{
    print_notes(notes, notes->n_doubts, notes->n, arena, out);
}

void fm_run_notes_warn(const struct fm_run_notes *notes, const char *command)
{
    for (size_t i = 0; i < notes->n; i++) {
        fprintf(stderr, "fathom %s: ", command);
        fm_print_text(stderr, notes->items[i]);
        fputs(".\n", stderr);
    }
}
