/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/live.h"

#include "base/units.h"
#include "render/json.h"
#include "render/text.h"

enum { SCREEN_MODULES = 10, LINE_MODULES = 4, BAR = 30, NAME = 24 };

/* " +- 2.1 %", half the width of the interval; " %" if it is unknown. */
static const char *plus_minus(char *buffer, const struct fm_module_share *share)
{
    if (share->width >= 1)
        return " %";
    snprintf(buffer, FM_UNIT_CHARS, " +- %.1f %%", 50 * share->width);
    return buffer;
}

/* Prints the interval that is farthest from the target. */
static void print_widest(const struct fm_live *live, FILE *out)
{
    const struct fm_module_share *widest = NULL;
    for (size_t i = 0; i < live->shares->n; i++) {
        const struct fm_module_share *share = &live->shares->items[i];
        if (share->share > FM_SHARE_MATTERS && (!widest || share->width > widest->width))
            widest = share;
    }
    if (!widest || widest->width >= 1) {
        fputs("; no confidence intervals yet", out);
        return;
    }
    fprintf(out, "; widest interval %.1f %% (", 100 * widest->width);
    fm_print_text(out, widest->name);
    fprintf(out, "), target %g %%", 100 * live->until);
}

static void print_state(const struct fm_live *live, FILE *out)
{
    char samples[FM_UNIT_CHARS], work[FM_UNIT_CHARS], transfer[FM_UNIT_CHARS], waiting[FM_UNIT_CHARS];
    const struct fm_module_shares *shares = live->shares;
    fprintf(out, "%.0f s, %s samples of %llu rank%s, work %s, transfer %s, waiting %s", live->seconds,
            fm_count_text(samples, live->samples), (unsigned long long)live->ranks, live->ranks == 1 ? "" : "s",
            fm_percent_whole(work, shares->work), fm_percent_whole(transfer, shares->transfer),
            fm_percent_whole(waiting, shares->waiting));
    if (live->until > 0)
        print_widest(live, out);
}

/* "###==--": work, transfer and waiting. */
static void print_bar(const struct fm_module_share *share, FILE *out)
{
    double without_waiting = share->share - share->waiting;
    for (int c = 0; c < BAR && c < (int)(BAR * share->share + 0.5); c++)
        fputc(c < (int)(BAR * (without_waiting - share->transfer) + 0.5) ? '#'
              : c < (int)(BAR * without_waiting + 0.5)                   ? '='
                                                                         : '-',
              out);
}

size_t fm_live_screen(const struct fm_live *live, FILE *out, size_t lines_before)
{
    const struct fm_module_shares *shares = live->shares;
    size_t lines = 1;
    if (lines_before)
        fprintf(out, "\033[%zuA", lines_before);
    fputs("\r\033[J", out);
    print_state(live, out);
    fputc('\n', out);
    for (size_t i = 0; i < shares->n && i < SCREEN_MODULES && shares->items[i].share > 0; i++, lines++) {
        const struct fm_module_share *share = &shares->items[i];
        char interval[FM_UNIT_CHARS];
        size_t width = fm_print_cut(out, share->name, NAME);
        fprintf(out, "%*s %5.1f%-9s ", (int)(NAME - width), "", 100 * share->share, plus_minus(interval, share));
        print_bar(share, out);
        fputc('\n', out);
    }
    fflush(out);
    return lines;
}

void fm_live_line(const struct fm_live *live, FILE *out)
{
    const struct fm_module_shares *shares = live->shares;
    print_state(live, out);
    for (size_t i = 0; i < shares->n && i < LINE_MODULES && shares->items[i].share > 0; i++) {
        char interval[FM_UNIT_CHARS];
        fputs(i ? ", " : ": ", out);
        fm_print_text(out, shares->items[i].name);
        fprintf(out, " %.1f%s", 100 * shares->items[i].share, plus_minus(interval, &shares->items[i]));
    }
    fputc('\n', out);
    fflush(out);
}

void fm_live_json(const struct fm_live *live, FILE *out)
{
    const struct fm_module_shares *shares = live->shares;
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_INLINE);
    fm_json_whole(&json, "fathom", 1);
    fm_json_bool(&json, "final", live->final);
    fm_json_bool(&json, "reached", live->reached);
    fm_json_number(&json, "seconds", live->seconds);
    fm_json_whole(&json, "ranks", live->ranks);
    fm_json_whole(&json, "moments", live->moments);
    fm_json_whole(&json, "samples", live->samples);
    fm_json_number(&json, "work", shares->work);
    fm_json_number(&json, "transfer", shares->transfer);
    fm_json_number(&json, "waiting", shares->waiting);
    fm_json_array(&json, "modules", FM_JSON_INLINE);
    for (size_t i = 0; i < shares->n; i++) {
        const struct fm_module_share *share = &shares->items[i];
        fm_json_object(&json, NULL, FM_JSON_INLINE);
        fm_json_text(&json, "name", share->name);
        fm_json_number(&json, "share", share->share);
        fm_json_number(&json, "transfer", share->transfer);
        fm_json_number(&json, "waiting", share->waiting);
        if (share->width < 1)
            fm_json_number(&json, "interval_width", share->width);
        else
            fm_json_null(&json, "interval_width");
        fm_json_end(&json);
    }
    fm_json_end(&json);
    if (live->stops) {
        fm_json_object(&json, "stops", FM_JSON_INLINE);
        fm_json_whole(&json, "count", live->stopped);
        fm_json_whole(&json, "median_ns", live->held_median_ns);
        fm_json_whole(&json, "max_ns", live->held_most_ns);
        fm_json_end(&json);
    } else {
        fm_json_null(&json, "stops");
    }
    fm_json_end(&json);
    fflush(out);
}

void fm_live_intervals(const struct fm_live *live, FILE *out)
{
    const struct fm_module_shares *shares = live->shares;
    struct fm_arena arena = {0};
    char samples[FM_UNIT_CHARS], stops[FM_UNIT_CHARS], median[FM_UNIT_CHARS], max[FM_UNIT_CHARS];
    char lost[FM_UNIT_CHARS];
    const char *text = fm_format(&arena, "%s samples", fm_count_text(samples, live->samples));
    text = live->stops ? fm_format(&arena, "%s at %llu points in time over %.1f s", text,
                                   (unsigned long long)live->moments, live->seconds)
                       : fm_format(&arena, "%s, taken by the job itself since its start", text);
    if (live->lost)
        text = fm_format(&arena, "%s; %s more were lost, because threads did not run in time, and are in no figure",
                         text, fm_count_text(lost, live->lost));
    const char *separator = ". 95 % confidence intervals: ";
    for (size_t i = 0; i < shares->n; i++) {
        const struct fm_module_share *share = &shares->items[i];
        if (share->width >= 1 || share->share <= FM_SHARE_MATTERS)
            continue;
        text = fm_format(&arena, "%s%s%s %.1f to %.1f %%", text, separator, share->name,
                         share->share > share->width / 2 ? 100 * (share->share - share->width / 2) : 0,
                         100 * (share->share + share->width / 2));
        separator = ", ";
    }
    if (live->stops && live->stopped)
        text = fm_format(&arena, "%s. Threads were stopped %s times, for %s (median) and at most %s", text,
                         fm_count_text(stops, live->stopped), fm_time_text(median, (double)live->held_median_ns),
                         fm_time_text(max, (double)live->held_most_ns));
    fm_print_folded(out, fm_format(&arena, "%s.", text), 2);
    fm_arena_destroy(&arena);
}
