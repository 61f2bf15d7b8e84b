/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { MAX_OPTIONS = 32, OPTION_0 = 256 };

static const char *word_at(const struct fm_option *option, size_t i)
{
    return *(const char *const *)(const void *)((const char *)option->words + i * option->word_size);
}

static int set_word(const char *command, const struct fm_option *option, const char *text)
{
    char list[256] = "";
    const char *word;
    for (unsigned i = 0; (word = word_at(option, i)); i++) {
        if (*word && strcmp(word, text) == 0) {
            *option->word = i;
            return FM_EXIT_NOT_YET;
        }
        strncat(list, *list ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, word, sizeof list - strlen(list) - 1);
    }
    if (option->wrong)
        return fm_usage_error(command, option->wrong, text);
    return fm_usage_error(command, "unknown %s '%s'; choose from %s", option->what ? option->what : option->name, text,
                          list);
}

static int set_count(const char *command, const struct fm_option *option, const char *text)
{
    size_t max = option->most ? (size_t)option->most : 1000000000;
    if (fm_parse_number(text, 1, max, option->count))
        return FM_EXIT_NOT_YET;
    if (option->most)
        return fm_usage_error(command, "--%s needs a number from 1 to %zu, not '%s'", option->name, max, text);
    return fm_usage_error(command, "--%s needs a number of at least 1, not '%s'", option->name, text);
}

static int set_number(const char *command, const struct fm_option *option, const char *text)
{
    char *end;
    errno = 0;
    double number = *option->number = strtod(text, &end);
    if (end == text || *end || errno || !(number >= 0) || number > option->most)
        return fm_usage_error(command, "--%s needs a number from 0 to %g, not '%s'", option->name, option->most, text);
    return FM_EXIT_NOT_YET;
}

static int set(const char *command, const struct fm_option *option, const char *text)
{
    if (option->given)
        *option->given = true;
    if (option->last)
        *option->last = option->name;
    if (option->word)
        return set_word(command, option, text);
    if (option->count)
        return set_count(command, option, text);
    if (option->number)
        return set_number(command, option, text);
    if (option->texts)
        option->texts->items[option->texts->n++] = text;
    else if (option->text)
        *option->text = text;
    else
        *(option->on ? option->on : option->off) = option->on != NULL;
    return FM_EXIT_NOT_YET;
}

/* Converts the table for getopt_long. */
static void make_longs(const struct fm_option *options, struct option *longs)
{
    int i = 0;
    for (; options[i].name && i < MAX_OPTIONS; i++)
        longs[i] = (struct option){options[i].name, options[i].on || options[i].off ? no_argument : required_argument,
                                   NULL, OPTION_0 + i};
    longs[i] = (struct option){"help", no_argument, NULL, 'h'};
}

int fm_parse_options(const char *command, const struct fm_option *options, void (*print_help)(void), int argc,
                     char **argv)
{
    struct option longs[MAX_OPTIONS + 2] = {0};
    const char *shorts = strcmp(options[0].name, "output") == 0 ? ":o:h" : ":h";
    int result, status = FM_EXIT_NOT_YET;
    make_longs(options, longs);
    opterr = 0;
    optind = 1;
    while (status == FM_EXIT_NOT_YET && (result = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (result == 'h') {
            print_help();
            status = FM_EXIT_OK;
        } else if (result == '?' || result == ':') {
            status = fm_option_error(command, result, argv);
        } else {
            status = set(command, &options[result == 'o' ? 0 : result - OPTION_0], optarg);
        }
    }
    return status;
}

int fm_parse_profile(const char *command, int argc, char **argv, const char **profile)
{
    if (optind == argc)
        return fm_usage_error(command, "no profile given");
    if (optind + 1 < argc)
        return fm_usage_error(command, "unexpected argument '%s': give one profile", argv[optind + 1]);
    *profile = argv[optind];
    return FM_EXIT_NOT_YET;
}
