/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings: diagnosed causes of lost time, with what they cost, the ranks, the place and what to try.
 *
 * A rule is a file, rule_NAME.c, and a line of the table in rules.h; all thresholds are in limits.h. doc/FINDINGS.md
 * explains each rule. Rules are pure functions of a profile.
 *
 * The cost of a finding is the time that would be won, summed over ranks, not the time spent. Every second is
 * attributed to one cause: what is explained by one rule is not part of the cost of another.
 *
 * Memory comes from the caller's arena; the profile and the symbols must outlive the findings. */
#ifndef FM_ANALYSE_FINDINGS_FINDING_H
#define FM_ANALYSE_FINDINGS_FINDING_H

#include "analyse/balance/balance.h"
#include "analyse/balance/summary.h"
#include "symbols/symbols.h"

enum { FM_FINDING_EVIDENCE = 8 };

/* A number that the finding follows from. Its name ends in its unit: _s, _bytes, _fraction; without, it is a count or a
 * ratio. */
struct fm_evidence {
    const char *name;
    double value;
};

struct fm_finding_place {
    const char *function, *path; /* "" if unknown */
    uint32_t line;               /* of a function: where it is called; of a routine: its call site; 0 if unknown */
};

struct fm_finding {
    const char *rule;   /* its name in JSON */
    const char *text;   /* what is wrong, with ranks and place; a sentence without its full stop */
    const char *advice; /* what to try: sentences */
    const char *trace;  /* what only a trace can tell, and which tool does; "" if nothing */
    double cost_ns;     /* 0: not a matter of time */
    bool measured;      /* the cost; false: an estimate */
    struct fm_rankset ranks;
    struct fm_finding_place place;
    struct fm_evidence evidence[FM_FINDING_EVIDENCE];
    size_t n_evidence;
};

struct fm_findings {
    struct fm_finding *items; /* highest cost first */
    size_t n, capacity;
    bool lacked_cores; /* rules about waiting were not applied */
};

struct fm_finding_input {
    const struct fm_profile *profile;
    const struct fm_summary *summary;
    const struct fm_balance *balance;
    struct fm_symbols *symbols; /* may be NULL: places are unknown */
};

/* What to try, of the rule with this name; NULL if there is no such rule. */
const char *fm_finding_advice(const char *rule);

enum fm_status fm_findings_find(const struct fm_finding_input *input, struct fm_arena *arena, struct fm_findings *found,
                                struct fm_error *error);

/* Whether a note is about a limit of the measurement, and so part of the finding "incomplete". */
bool fm_note_is_limit(uint32_t code);

/* The first finding of a rule; NULL if there is none. */
const struct fm_finding *fm_findings_of(const struct fm_findings *found, const char *rule);

/* The value of an evidence with its unit: "1.2 s", "4.5 KiB", "12 %". The buffer has FM_UNIT_CHARS bytes. */
const char *fm_evidence_text(char *buffer, const struct fm_evidence *evidence);
/* Its name without the unit, in words: "work max". Returns NULL if out of memory. */
const char *fm_evidence_name(const struct fm_evidence *evidence, struct fm_arena *arena);

#endif
