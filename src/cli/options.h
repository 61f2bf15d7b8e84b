/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of a command as a table: each row says what the option takes and where that goes.
 * The first row is that of --output, which is -o too; -h and --help belong to every table by themselves. */
#ifndef FM_CLI_OPTIONS_H
#define FM_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct fm_option {
    const char *name;
    /* one of these: */
    bool *on, *off;    /* takes nothing, and sets or clears this */
    const char **text; /* takes any */
    size_t *count;     /* takes a whole number from 1 to `most` (0: any) */
    double *number;    /* from 0 to `most` */
    unsigned *word;    /* one of `words`; gets its index */

    double most;
    const void *words; /* begin with a name, or are one, and end with NULL for it; "" cannot be asked for */
    size_t word_size;
    const char *what;  /* they are; NULL: what the option is called */
    const char *wrong; /* the sentence about another word, '%s'; NULL: "there is no <what> '%s', only <words>" */
    bool *given;       /* or NULL */
    const char **last; /* or NULL: gets the name of the option; some may share it */
};

#define FM_WORDS(array) .words = (array), .word_size = sizeof *(array)

/* What a command does not end with: there is more to do. */
enum { FM_EXIT_NOT_YET = -1 };

/* options: ends with a name of NULL. FM_EXIT_NOT_YET, with optind at the first argument; or the exit status, when help
 * was asked for and given, or something was wrong. */
int fm_parse_options(const char *command, const struct fm_option *options, void (*print_help)(void), int argc,
                     char **argv);
/* The one argument, likewise. */
int fm_parse_profile(const char *command, int argc, char **argv, const char **profile);

#endif
