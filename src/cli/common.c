/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "render/text.h"

int fm_usage_error(const char *command, const char *format, ...)
{
    va_list arguments;
    const char *space = command[0] ? " " : "";
    fm_print_line(stderr, "fathom%s%s: ", space, command);
    va_start(arguments, format);
    fm_print_line_list(stderr, format, arguments);
    va_end(arguments);
    fm_print_line(stderr, "; try 'fathom%s%s --help'.\n", space, command);
    return FM_EXIT_USAGE;
}

int fm_command_error(const char *command, const struct fm_error *error)
{
    size_t length = strlen(error->text);
    bool ended = length && error->text[length - 1] == '.';
    fm_print_line(stderr, "fathom %s: %s%s\n", command, error->text, ended ? "" : ".");
    return error->status == FM_ERR_USAGE ? FM_EXIT_USAGE : FM_EXIT_FAILED;
}

int fm_option_error(const char *command, int result, char **argv)
{
    /* getopt stores a short option in optopt; a long one is the word before optind. */
    const char *word = argv[optind - 1];
    bool is_long = strncmp(word, "--", 2) == 0;
    char letter[] = {'-', (char)optopt, 0};
    const char *option = is_long ? word : letter;
    size_t length = strcspn(option, "=");
    if (result == ':')
        return fm_usage_error(command, "option '%.*s' needs a value", (int)length, option);
    if (is_long && optopt != 0)
        return fm_usage_error(command, "option '%.*s' takes no value", (int)length, option);
    return fm_usage_error(command, "unknown option '%.*s'", (int)length, option);
}

bool fm_parse_number(const char *text, size_t least, size_t most, size_t *number)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end || errno || value < least || value > most)
        return false;
    *number = (size_t)value;
    return true;
}
