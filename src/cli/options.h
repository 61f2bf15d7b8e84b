/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of a command as a table: each row says what value an option takes and where it is stored. If the
 * first row is --output, it is also -o; -h and --help are implicit. */
#ifndef FM_CLI_OPTIONS_H
#define FM_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* The values of an option that may be given several times, in an array with room for argc of them. */
struct fm_option_texts {
    const char **items;
    size_t n;
};

struct fm_option {
    const char *name;
    /* exactly one of these: */
    bool *on, *off;                /* takes no value; sets or clears this */
    const char **text;             /* takes any text */
    struct fm_option_texts *texts; /* takes any text, and may be given several times */
    size_t *count;                 /* takes an integer from 1 to `most` (0: any) */
    double *number;                /* takes a number from 0 to `most` */
    unsigned *word;                /* takes one of `words`; stores its index */

    double most;
    const void *words; /* array of names, or of structs that begin with one, ended by NULL; "" cannot be chosen */
    size_t word_size;
    const char *what;  /* what the words are, for messages; NULL: the name of the option */
    const char *wrong; /* message for an unknown word, with '%s'; NULL: "unknown <what> '%s'; choose from <words>" */
    bool *given;       /* or NULL */
    const char **last; /* or NULL: gets the name of the option; options may share it */
};

#define FM_WORDS(array) .words = (array), .word_size = sizeof *(array)

/* Not an exit status: there is more to do. */
enum { FM_EXIT_NOT_YET = -1 };

/* options: ends with a NULL name. Returns FM_EXIT_NOT_YET, with optind at the first argument; or the exit status, if
 * help was printed or something was wrong. */
int fm_parse_options(const char *command, const struct fm_option *options, void (*print_help)(void), int argc,
                     char **argv);
/* Parses the only argument, likewise. */
int fm_parse_profile(const char *command, int argc, char **argv, const char **profile);

#endif
