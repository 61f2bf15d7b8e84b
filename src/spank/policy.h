/* SPDX-License-Identifier: BSD-3-Clause */
/* Which steps of Slurm jobs are measured, and what their environment gets for it. Pure functions of texts, apart from the
 * files that they are told to look at; plugin.c calls them with what Slurm knows. libc alone, fixed memory, no globals:
 * this runs inside slurmstepd. No function fails: a wrong line is left out and told to `problem`. */
#ifndef FM_SPANK_POLICY_H
#define FM_SPANK_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FM_POLICY_PATH = 1024, FM_POLICY_LIST = 4096, FM_POLICY_SENTENCE = 256, FM_POLICY_VALUE = 1024 };

struct fm_policy {
    char library[FM_POLICY_PATH];     /* to be loaded into programs */
    char spool[FM_POLICY_PATH];       /* directory of profiles; empty: where programs run */
    char off[FM_POLICY_PATH];         /* nothing is measured while this file exists */
    char users[FM_POLICY_LIST];       /* not measured: names and uids, patterns as in a shell */
    char programs[FM_POLICY_LIST];    /* not measured: names and paths, likewise */
    char environment[FM_POLICY_LIST]; /* NAME=VALUE with names FATHOM_... */
    bool unasked;                     /* measure jobs without --fathom=yes: measure = on */
};

typedef void fm_policy_problem(const char *sentence);

void fm_policy_init(struct fm_policy *policy);
/* An argument of plugstack.conf: NAME=VALUE. conf=FILE is read at once. lib= and off= are arguments only: the file, site.conf,
 * is also read by others, who know its keys. */
void fm_policy_argument(struct fm_policy *policy, const char *argument, fm_policy_problem *problem);
/* "name = value" lines, as in site.conf; names that are for others are skipped. */
void fm_policy_file(struct fm_policy *policy, const char *path, fm_policy_problem *problem);

/* What is known of a step. */
struct fm_policy_step {
    uid_t uid;
    const char *user;    /* NULL: unknown */
    const char *program; /* path or name; NULL: a batch script or a shell */
    const char *option;  /* the value of --fathom; NULL: not given */
    bool own;            /* the user measures it, with `fathom run` */
};
enum fm_policy_answer { FM_POLICY_MEASURE, FM_POLICY_LEAVE_ALONE, FM_POLICY_TAKE_OFF };
/* LEAVE_ALONE: the environment stays as it is. TAKE_OFF: our library is to be removed from it, which the batch script of
 * this step may have passed on. *why: one of few words, for the log. */
enum fm_policy_answer fm_policy_decide(const struct fm_policy *policy, const struct fm_policy_step *step,
                                       const char **why);

/* LD_PRELOAD with the library in front, or without it; `present` may be NULL. False if the result is longer than `size` - 1,
 * or the same as before. Names are separated by colons or spaces. */
bool fm_policy_preload_with(const char *present, const char *library, char *result, size_t size);
bool fm_policy_preload_without(const char *present, const char *library, char *result, size_t size);

/* Calls `set` for each variable of --fathom=sample=200,counters=cycles,instructions,io=off, and of the policy. What the user
 * has in the environment yields to the first and not to the second. */
typedef void fm_policy_set(void *context, const char *name, const char *value, bool replace);
void fm_policy_variables(const struct fm_policy *policy, const char *option, fm_policy_set *set, void *context,
                         fm_policy_problem *problem);

#endif
