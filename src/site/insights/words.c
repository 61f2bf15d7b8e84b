/* SPDX-License-Identifier: BSD-3-Clause */
/* Insights in words and as documents. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/writer.h"
#include "render/json.h"
#include "site/insights/candidates.h"
#include "site/insights/limits.h"
#include "site/store/classes.h"

enum { DAY_S = 86400, MOST_PROGRAMS = 20, BUILD_CHARS = 12 };

static const char *day_text(int64_t day, char text[FM_UNIT_CHARS])
{
    fm_date_iso(text, (uint64_t)day * DAY_S * UINT64_C(1000000000));
    text[strlen("2026-01-01")] = '\0';
    return text;
}

/* 99 % certain; what is more certain than a model of noise can tell is not claimed. */
static const char *certainty_text(double certainty, char text[FM_UNIT_CHARS])
{
    if (certainty > 0.999)
        return strcpy(text, "more than 99.9 %");
    return fm_percent_whole(text, certainty);
}

/* ---- documents ---- */

struct insight_document {
    struct fm_json json;
    char *text;
    size_t size;
};

static bool start(struct insight_document *document)
{
    *document = (struct insight_document){0};
    document->json.out = open_memstream(&document->text, &document->size);
    if (!document->json.out)
        return false;
    fm_json_object(&document->json, NULL, FM_JSON_INLINE);
    return true;
}

static bool finish(struct insight_document *document, struct fm_arena *arena, struct fm_insight *insight)
{
    fm_json_end(&document->json);
    bool good = fclose(document->json.out) == 0 && document->text;
    while (good && document->size && document->text[document->size - 1] == '\n')
        document->size--;
    insight->document = good ? fm_arena_strndup(arena, document->text, document->size) : NULL;
    free(document->text);
    return insight->document;
}

static void write_shares(struct fm_json *json, const char *key, double program, double mpi, double io)
{
    fm_json_object(json, key, FM_JSON_INLINE);
    fm_json_number(json, "program", program);
    fm_json_number(json, "mpi", mpi);
    fm_json_number(json, "io", io);
    fm_json_end(json);
}

static void write_routines(struct fm_json *json, const struct fm_details *details)
{
    fm_json_array(json, "routines", FM_JSON_INLINE);
    for (size_t i = 0; i < details->n_routines; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "name", details->routines[i].name);
        fm_json_real(json, "before", details->routines[i].before);
        fm_json_real(json, "after", details->routines[i].after);
        fm_json_end(json);
    }
    fm_json_end(json);
}

/* ---- parts ---- */

enum time_part { PART_PROGRAM, PART_MPI, PART_IO };
static const char *const parts[] = {"program", "mpi", "io"};

static enum time_part largest_part(double program, double mpi, double io)
{
    return program >= mpi && program >= io ? PART_PROGRAM : mpi >= io ? PART_MPI : PART_IO;
}

/* The routine or region to name, if MPI is what grows. */
static const char *routine_of(enum time_part part, const struct fm_details *details)
{
    return part == PART_MPI && details->n_routines ? details->routines[0].name : NULL;
}

static const char *part_text(enum time_part part, const char *routine)
{
    return routine ? routine : part == PART_PROGRAM ? "its own code" : part == PART_MPI ? "MPI" : "file I/O";
}

static void write_place(struct fm_json *json, enum time_part part, const struct fm_details *details)
{
    fm_json_text(json, "part", parts[part]);
    const char *routine = routine_of(part, details);
    if (routine)
        fm_json_text(json, "routine", routine);
    if (routine && details->region.name)
        fm_json_text(json, "region", details->region.name);
    write_routines(json, details);
}

/* ---- slower ---- */

static bool is_near(const struct fm_slower *slower, const struct fm_change_of *change)
{
    int64_t distance = change->since - slower->ended;
    return distance <= FM_SLOWER_NEAR_DAYS * DAY_S && distance >= -FM_SLOWER_NEAR_DAYS * DAY_S;
}

/* When the first run with something new ended, if that is near; a new program is slower from its first run on. */
static int64_t beginning_of(const struct fm_slower *slower, const struct fm_details *details)
{
    int64_t since = slower->ended;
    bool found = false;
    for (size_t i = 0; i < details->n_changes; i++)
        if (is_near(slower, &details->changes[i]) && (!found || details->changes[i].since < since)) {
            since = details->changes[i].since;
            found = true;
        }
    return since;
}

static void write_side(struct fm_json *json, const char *key, size_t runs, double wall_s)
{
    fm_json_object(json, key, FM_JSON_INLINE);
    fm_json_whole(json, "runs", runs);
    fm_json_number(json, "wall_s", wall_s);
    fm_json_end(json);
}

static void write_changes(struct fm_json *json, const struct fm_slower *slower, const struct fm_details *details)
{
    fm_json_array(json, "changed", FM_JSON_INLINE);
    for (size_t i = 0; i < details->n_changes; i++) {
        const struct fm_change_of *change = &details->changes[i];
        if (!is_near(slower, change))
            continue;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "what", change->what);
        fm_json_text(json, "before", change->before);
        fm_json_text(json, "after", change->after);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_days(struct fm_json *json, const struct fm_slower *slower)
{
    char day[FM_UNIT_CHARS];
    fm_json_array(json, "days", FM_JSON_INLINE);
    for (size_t i = 0; i < slower->n_days; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "day", day_text(slower->days[i].day, day));
        fm_json_number(json, "factor", slower->days[i].factor);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void say_changes(struct fm_writer *sentence, const struct fm_slower *slower, const struct fm_details *details)
{
    static const struct {
        const char *what, *text;
    } words[] = {{"build", "another build"}, {"commit", "commit"},       {"mpi", "MPI"},
                 {"compiler", "compiler"},   {"partition", "partition"}, {"hosts", "other hosts"}};
    unsigned said = 0;
    for (size_t i = 0; i < details->n_changes && said < 3; i++) {
        const struct fm_change_of *change = &details->changes[i];
        const char *text = NULL;
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            text = strcmp(change->what, words[k].what) == 0 ? words[k].text : text;
        if (!is_near(slower, change))
            continue;
        fm_write(sentence, "%s", said++ ? ", " : "; new since then: ");
        if (strcmp(change->what, "build") == 0)
            fm_write(sentence, "%s (%.*s)", text, BUILD_CHARS, change->after);
        else if (strcmp(change->what, "hosts") == 0)
            fm_write(sentence, "%s", text);
        else
            fm_write(sentence, "%s %s", text ? text : change->what, *change->after ? change->after : "(not set)");
    }
}

bool fm_insight_of_slower(const struct fm_program_candidate *candidate, const struct fm_details *details,
                          double certainty, struct fm_arena *arena, struct fm_insight *insight)
{
    const struct fm_slower *slower = &candidate->slower;
    enum time_part part = largest_part(slower->program, slower->mpi, slower->io);
    int64_t since = beginning_of(slower, details);
    struct fm_writer sentence = {.arena = arena};
    char percent[FM_UNIT_CHARS], day[FM_UNIT_CHARS], certain[FM_UNIT_CHARS], before[FM_UNIT_CHARS],
        after[FM_UNIT_CHARS];
    fm_write(&sentence, "%s takes %s longer since %s (%s certain), %s instead of %s on %lld rank%s, most of it in %s",
             candidate->program, fm_percent_whole(percent, slower->factor - 1), day_text(since / DAY_S, day),
             certainty_text(certainty, certain), fm_time_text(after, slower->after_s * 1e9),
             fm_time_text(before, slower->before_s * 1e9), (long long)slower->ranks, slower->ranks == 1 ? "" : "s",
             part_text(part, routine_of(part, details)));
    say_changes(&sentence, slower, details);
    *insight = (struct fm_insight){fm_insight_words[FM_INSIGHT_SLOWER],
                                   candidate->user,
                                   candidate->program,
                                   NULL,
                                   since / DAY_S,
                                   slower->cost_s,
                                   certainty,
                                   fm_writer_text(&sentence),
                                   NULL};
    struct insight_document document;
    if (!insight->sentence || !start(&document))
        return false;
    struct fm_json *json = &document.json;
    fm_json_number(json, "factor", slower->factor);
    fm_json_signed(json, "since_at", since);
    fm_json_signed(json, "ranks", slower->ranks);
    write_side(json, "before", slower->n_before, slower->before_s);
    write_side(json, "after", slower->n_after, slower->after_s);
    write_changes(json, slower, details);
    write_shares(json, "growth", slower->program, slower->mpi, slower->io);
    write_place(json, part, details);
    write_days(json, slower);
    return finish(&document, arena, insight);
}

/* ---- scaling ---- */

static void write_points(struct fm_json *json, const struct fm_scaling_limit *scaling)
{
    fm_json_array(json, "points", FM_JSON_INLINE);
    for (size_t i = 0; i < scaling->n; i++) {
        const struct fm_scaling_point *point = &scaling->points[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_signed(json, "ranks", point->ranks);
        fm_json_whole(json, "runs", point->runs);
        fm_json_number(json, "wall_s", point->wall_s);
        fm_json_number(json, "cpu_s", point->cpu_s);
        fm_json_number(json, "program_s", point->program_s);
        fm_json_number(json, "mpi_s", point->mpi_s);
        fm_json_number(json, "io_s", point->io_s);
        fm_json_number(json, "efficiency", point->efficiency);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void say_best(struct fm_writer *sentence, const struct fm_scaling_limit *scaling)
{
    int64_t most = scaling->points[scaling->n - 1].ranks;
    if (scaling->mode == FM_SCALING_STRONG) {
        fm_write(sentence, "; runs are shortest on %lld", (long long)scaling->fastest_ranks);
        if (scaling->fastest_ranks == most)
            fm_write(sentence, ", the most that were used,");
        else if (!isnan(scaling->estimated_ranks))
            fm_write(sentence, " (estimate: %.0f)", scaling->estimated_ranks);
        if (scaling->efficient_ranks < scaling->fastest_ranks)
            fm_write(sentence, " and efficient up to %lld", (long long)scaling->efficient_ranks);
    } else {
        fm_write(sentence, "; it is efficient up to %lld", (long long)scaling->efficient_ranks);
    }
    if (scaling->mode == FM_SCALING_UNKNOWN)
        fm_write(sentence, " (whether all runs had the same problem is unknown)");
}

bool fm_insight_of_scaling(const struct fm_program_candidate *candidate, const struct fm_details *details,
                           double certainty, int64_t day, struct fm_arena *arena, struct fm_insight *insight)
{
    const struct fm_scaling_limit *scaling = &candidate->scaling;
    enum time_part part = largest_part(scaling->program, scaling->mpi, scaling->io);
    struct fm_writer sentence = {.arena = arena};
    char efficiency[FM_UNIT_CHARS];
    fm_write(&sentence, "%s stops scaling: on %lld ranks its efficiency is %s of that on %lld, because of %s",
             candidate->program, (long long)scaling->points[scaling->n - 1].ranks,
             fm_percent_whole(efficiency, scaling->efficiency), (long long)scaling->points[0].ranks,
             part_text(part, routine_of(part, details)));
    say_best(&sentence, scaling);
    *insight = (struct fm_insight){fm_insight_words[FM_INSIGHT_SCALING],
                                   candidate->user,
                                   candidate->program,
                                   NULL,
                                   day,
                                   scaling->cost_s,
                                   certainty,
                                   fm_writer_text(&sentence),
                                   NULL};
    struct insight_document document;
    if (!insight->sentence || !start(&document))
        return false;
    struct fm_json *json = &document.json;
    fm_json_text(json, "mode", fm_scaling_modes[scaling->mode]);
    fm_json_number(json, "efficiency", scaling->efficiency);
    fm_json_signed(json, "efficient_ranks", scaling->efficient_ranks);
    /* with the shortest time, if that can be told */
    fm_json_signed(json, "best_ranks", scaling->fastest_ranks ? scaling->fastest_ranks : scaling->efficient_ranks);
    if (!isnan(scaling->estimated_ranks))
        fm_json_number(json, "estimated_ranks", scaling->estimated_ranks);
    write_shares(json, "loss", scaling->program, scaling->mpi, scaling->io);
    write_place(json, part, details);
    write_points(json, scaling);
    return finish(&document, arena, insight);
}

/* ---- slow hosts ---- */

bool fm_insight_of_host(const struct fm_host_candidate *candidate, double certainty, struct fm_arena *arena,
                        struct fm_insight *insight)
{
    struct fm_writer sentence = {.arena = arena};
    char percent[FM_UNIT_CHARS], jobs[FM_UNIT_CHARS], day[FM_UNIT_CHARS];
    fm_write(&sentence, "%s is slow: programs compute %s longer there than on the other hosts of their jobs",
             candidate->host, fm_percent_whole(percent, candidate->slow.slowness - 1));
    if (!candidate->always)
        fm_write(&sentence, ", since %s", day_text(candidate->since, day));
    fm_write(&sentence, " (%s jobs, %zu programs)", fm_count_text(jobs, (uint64_t)candidate->jobs),
             candidate->n_programs);
    *insight = (struct fm_insight){fm_insight_words[FM_INSIGHT_SLOW_HOST],
                                   NULL,
                                   NULL,
                                   candidate->host,
                                   candidate->since,
                                   candidate->cost_s,
                                   certainty,
                                   fm_writer_text(&sentence),
                                   NULL};
    struct insight_document document;
    if (!insight->sentence || !start(&document))
        return false;
    struct fm_json *json = &document.json;
    fm_json_number(json, "slowness", candidate->slow.slowness);
    fm_json_number(json, "jobs", candidate->jobs);
    fm_json_bool(json, "always", candidate->always);
    fm_json_array(json, "programs", FM_JSON_INLINE);
    for (size_t i = 0; i < candidate->n_programs && i < MOST_PROGRAMS; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "user", candidate->programs[i].user);
        fm_json_text(json, "program", candidate->programs[i].program);
        fm_json_number(json, "jobs", candidate->programs[i].jobs);
        fm_json_number(json, "slowness", candidate->programs[i].slowness);
        fm_json_end(json);
    }
    fm_json_end(json);
    return finish(&document, arena, insight);
}
