/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/width.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 40, WIDEST = 1000 };

/* 0 if the output is no terminal. As for other tools, COLUMNS overrides what the terminal says. */
static size_t terminal_columns(FILE *out)
{
    struct winsize size = {0};
    int fd = fileno(out);
    if (fd < 0 || !isatty(fd))
        return 0;
    const char *wanted = getenv("COLUMNS");
    unsigned long columns = wanted ? strtoul(wanted, NULL, 10) : 0;
    if (!columns && ioctl(fd, TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    if (!columns)
        return 0;
    return columns < NARROWEST ? NARROWEST : columns > WIDEST ? WIDEST : columns;
}

size_t fm_output_limit(FILE *out)
{
    size_t columns = terminal_columns(out);
    return columns ? columns : FM_TEXT_LIMIT;
}

size_t fm_output_columns(FILE *out)
{
    size_t columns = terminal_columns(out);
    return columns && columns < FM_TEXT_COLUMNS ? columns : FM_TEXT_COLUMNS;
}
