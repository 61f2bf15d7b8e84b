/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

#include "base/basename.h"
#include "base/units.h"
#include "merge/notes.h"
#include "model/note.h"

enum fm_status fm_report_analyse(struct fm_report *report, struct fm_arena *arena, struct fm_error *error)
{
    enum fm_status status = fm_summarise(report->profile, arena, &report->summary, error);
    if (!status)
        status = fm_balance_find(report->profile, arena, &report->balance, error);
    report->factors = fm_factors_of_run(report->profile);
    return status;
}

enum fm_status fm_report_open(struct fm_report *report, const struct fm_profile *profile, struct fm_symbols *symbols,
                              const struct fm_report_options *options, struct fm_error *error)
{
    *report = (struct fm_report){.profile = profile, .symbols = symbols, .options = *options};
    enum fm_status status = fm_report_analyse(report, &report->arena, error);
    if (!status && !fm_program_ranges_make(profile, &report->arena, &report->programs))
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory to separate the programs of the job");
    if (status)
        fm_report_close(report);
    return status;
}

enum fm_status fm_report_findings(struct fm_report *report, const struct fm_findings **found, struct fm_error *error)
{
    *found = report->findings;
    if (*found)
        return FM_OK;
    struct fm_findings *made = fm_arena_alloc(&report->arena, sizeof *made);
    if (!made)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the findings");
    struct fm_finding_input input = {report->profile, &report->summary, &report->balance, report->symbols};
    enum fm_status status = fm_findings_find(&input, &report->arena, made, error);
    if (!status)
        *found = report->findings = made;
    return status;
}

void fm_report_close(struct fm_report *report)
{
    fm_arena_destroy(&report->arena);
}

/* ---- shared by views ---- */

size_t fm_report_rows(const struct fm_report *report, size_t n, size_t usual)
{
    size_t limit = report->options.all ? n : report->options.top ? report->options.top : usual;
    return limit < n ? limit : n;
}

static bool ends_with_s(const char *word)
{
    return *word && word[strlen(word) - 1] == 's';
}

void fm_print_more(FILE *out, size_t shown, size_t n, const char *what)
{
    char count[FM_UNIT_CHARS];
    if (shown < n)
        fprintf(out, "+ %s more %s%s (--all shows them)\n", fm_count_text(count, n - shown), what,
                n - shown == 1      ? ""
                : ends_with_s(what) ? "es"
                                    : "s");
}

const char *fm_unsampled_text(struct fm_report *report)
{
    for (size_t i = 0; i < report->profile->n_notes; i++) {
        const struct fm_note *note = &report->profile->notes[i];
        if (note->code == FM_NOTE_UNSAMPLED_THREADS || note->code == FM_NOTE_TRACED || note->code == FM_NOTE_IO_URING ||
            note->code == FM_NOTE_FILTERED || note->code == FM_NOTE_FILTER_TRIED) {
            const char *sentence = fm_note_sentence(note, &report->arena);
            return sentence ? sentence : "";
        }
    }
    return "run again without --sample off";
}

void fm_report_resolve(struct fm_report *report)
{
    const struct fm_profile *profile = report->profile;
    if (!report->symbols || report->resolved)
        return;
    for (size_t i = 0; i < profile->n_timers; i++)
        for (size_t k = 0; k < profile->timers[i].n_misuses; k++)
            fm_symbols_want(report->symbols, &profile->timers[i].misuses[k].site, FM_RETURN_ADDRESS);
    fm_routine_sites_resolve(report->symbols, profile->events, profile->n_events);
    report->resolved = true;
}

struct fm_site_frames fm_site_frames(struct fm_report *report, const struct fm_site *site, const char *routine)
{
    return report->symbols ? fm_routine_frames(report->symbols, site, routine) : (struct fm_site_frames){0};
}

const struct fm_symbol *fm_site_place(struct fm_report *report, const struct fm_site *site, const char *routine)
{
    return report->symbols ? fm_routine_place(report->symbols, site, routine) : NULL;
}

const char *fm_site_text(struct fm_report *report, const struct fm_site *site, const char *routine)
{
    if (site->module[0] == 0)
        return "(not recorded)";
    const struct fm_symbol *place = fm_site_place(report, site, routine);
    if (place && place->function[0] != '[') /* otherwise the offset is more precise */
        return fm_frame_text(report, place);
    return fm_format(&report->arena, "%s+0x%" PRIx64, fm_basename(site->module), site->offset);
}

const char *fm_frame_text(struct fm_report *report, const struct fm_symbol *frame)
{
    if (!frame->line)
        return frame->function;
    return fm_format(&report->arena, "%s (%s:%s%u)", frame->function, frame->file, frame->approximate ? "~" : "",
                     frame->line);
}

const char *fm_ranks_text(struct fm_report *report, const struct fm_rankset *ranks, size_t columns)
{
    const char *text = fm_rankset_text(ranks, &report->arena, columns);
    return fm_format(&report->arena, "rank%s %s", fm_rankset_count(ranks) == 1 ? "" : "s", text ? text : "?");
}

void fm_print_note(struct fm_report *report, const struct fm_note *note, FILE *out)
{
    char amount[FM_UNIT_CHARS];
    const char *times = note->amount ? fm_format(&report->arena, ": %s", fm_count_text(amount, note->amount)) : "";
    bool everywhere = fm_rankset_count(&note->ranks) >= report->summary.measured;
    const char *where = everywhere ? "" : fm_format(&report->arena, " (%s)", fm_ranks_text(report, &note->ranks, 30));
    const char *sentence = fm_note_sentence(note, &report->arena);
    fm_print_folded(out, fm_format(&report->arena, "Note: %s%s%s", sentence ? sentence : "?", times, where), 2);
}

const char *fm_bar(struct fm_report *report, double part, double whole, size_t columns)
{
    double share = fm_ratio(part, whole);
    size_t length = (size_t)((share > 1 ? 1 : share) * (double)columns + 0.5);
    if (length == 0 && part > 0)
        return ".";
    char *bar = fm_arena_alloc(&report->arena, length + 1);
    if (!bar)
        return "";
    memset(bar, '#', length);
    return bar;
}

const char *fm_lack_text(struct fm_arena *arena, const struct fm_core_use *use)
{
    char number[FM_UNIT_CHARS], ranks[FM_RANKS_ON_CORES_CHARS];
    switch (use->lack) {
    case FM_CORES_FEWER_THAN_RANKS:
        return fm_format(arena, "%s", fm_ranks_on_cores(ranks, use));
    case FM_CORES_PREEMPTED:
        if (use->no_cpu >= 0)
            return fm_format(arena, "without a CPU for %s of the time", fm_percent_whole(number, use->no_cpu));
        return fm_format(arena, "%s preemptions per second", fm_count_text(number, (uint64_t)(use->preemptions + 0.5)));
    case FM_CORES_NOT_RUNNING:
        return fm_format(arena, "running for %s of the time outside MPI", fm_percent_whole(number, use->outside));
    default:
        return "";
    }
}

const char *fm_incomplete_text(struct fm_report *report)
{
    const struct fm_summary *summary = &report->summary;
    bool mpi = report->profile->job.mpi[0] != 0;
    return fm_format(&report->arena, "INCOMPLETE: %" PRIu64 " of %u rank%s did not %s", summary->ended_badly,
                     summary->ranks, summary->ranks == 1 ? "" : "s", mpi ? "reach MPI_Finalize" : "end normally");
}

/* Reports a job that was measured while it was running as such, instead of listing how ranks ended. Returns false if it
 * was not running. */
static bool print_partial(struct fm_report *report, FILE *out)
{
    const struct fm_summary *summary = &report->summary;
    const char *missing = "";
    uint64_t running = 0, absent = 0;
    for (size_t i = 0; i < summary->n_ends; i++) {
        const struct fm_end_group *group = &summary->ends[i];
        uint64_t n = fm_rankset_count(&group->ranks);
        running += group->end == FM_END_UNKNOWN ? n : 0;
        absent += group->end == FM_END_MISSING ? n : 0;
        if (group->end == FM_END_MISSING)
            missing = fm_format(&report->arena, "; no data from %s", fm_ranks_text(report, &group->ranks, 40));
    }
    if (!running || running + absent < summary->ranks)
        return false;
    fprintf(out, "Partial run: the job was still running when it was measured%s.\n\n", missing);
    return true;
}

bool fm_print_uncounted(struct fm_report *report, FILE *out)
{
    if (!fm_profile_is_from_outside(report->profile))
        return false;
    fm_print_folded(
        out,
        "Not available: this profile was taken by fathom attach and has samples only. The views modules, sequence, "
        "calls, callers and flat show them; 'fathom run' measures the rest.",
        2);
    return true;
}

void fm_print_incomplete(struct fm_report *report, FILE *out)
{
    const struct fm_summary *summary = &report->summary;
    if (summary->complete)
        return;
    char how[128];
    bool vanished = false;
    if (print_partial(report, out))
        return;
    fm_print_line(out, "%s; the figures cover the time until then.\n", fm_incomplete_text(report));
    size_t shown = fm_report_rows(report, summary->n_ends, 6);
    for (size_t i = 0; i < shown; i++) {
        const struct fm_end_group *group = &summary->ends[i];
        vanished |= group->end == FM_END_VANISHED;
        fputs("  ", out);
        fm_print_cut(out,
                     fm_format(&report->arena, "%s: %s%s%s", fm_ranks_text(report, &group->ranks, 40),
                               fm_end_text(group->end, group->code, how, sizeof how),
                               group->inside[0] ? ", inside " : "", group->inside),
                     fm_output_columns(out) - 2);
        fputc('\n', out);
    }
    if (vanished)
        fputs("  vanished: ended unobserved, probably killed; 'mpirun fathom run ./program' records how\n", out);
    if (shown < summary->n_ends)
        fprintf(out, "  and %zu other ways of ending (--all shows them)\n", summary->n_ends - shown);
    fputc('\n', out);
}

void fm_print_no_regions(struct fm_report *report, FILE *out)
{
    const struct fm_profile *profile = report->profile;
    bool named = false; /* the region "" is the whole program */
    for (size_t i = 0; i < profile->n_regions; i++)
        named |= profile->regions[i].path[0] != 0;
    for (size_t i = 0; i < profile->n_events; i++)
        named |= profile->events[i].key.region[0] != 0;
    if (named)
        return;
    fputc('\n', out);
    fm_print_sentence(out,
                      "The program defines no regions: MPI_Pcontrol(1, \"name\") begins one, (-1, \"name\") ends it.");
}

void fm_print_scope(struct fm_report *report, FILE *out)
{
    char wall[FM_UNIT_CHARS];
    uint32_t ranks = report->summary.measured;
    if (ranks == 1)
        fprintf(out, "One rank; wall time %s.\n", fm_time_text(wall, (double)report->summary.wall_sum_ns));
    else
        fprintf(out, "Sums over %u ranks, whose wall times add up to %s.\n", ranks,
                fm_time_text(wall, (double)report->summary.wall_sum_ns));
}
