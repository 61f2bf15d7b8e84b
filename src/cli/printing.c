/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/printing.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/layout.h"
#include "render/text.h"

static bool is_profile(const char *path)
{
    char begin[sizeof FM_PROFILE_MAGIC - 1];
    FILE *file = fopen(path, "re");
    bool is = file && fread(begin, sizeof begin, 1, file) == 1 && memcmp(begin, FM_PROFILE_MAGIC, sizeof begin) == 0;
    if (file)
        fclose(file);
    return is;
}

/* A regular file appears complete or not at all; anything else, such as /dev/null or a link, is written directly. */
struct target {
    const char *name;
    char beside[PATH_MAX]; /* temporary file; "" if written directly */
    FILE *out;
};

static enum fm_status open_target(struct target *target, const char *output, struct fm_error *error)
{
    struct stat st;
    *target = (struct target){.name = output ? output : "standard output", .out = stdout};
    if (!output)
        return FM_OK;
    if (stat(output, &st) == 0 && S_ISREG(st.st_mode)) {
        if (is_profile(output))
            return fm_fail(error, FM_ERR_USAGE, "%s is a profile and would be overwritten; give another file", output);
        if (access(output, W_OK) != 0)
            return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", output, strerror(errno));
    }
    bool regular = lstat(output, &st) != 0 || S_ISREG(st.st_mode);
    if (regular && snprintf(target->beside, sizeof target->beside, "%s.%d", output, (int)getpid()) >= PATH_MAX)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: the name is too long", output);
    target->out = fopen(regular ? target->beside : output, "we");
    return target->out ? FM_OK : fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", target->name, strerror(errno));
}

static enum fm_status close_target(struct target *target, enum fm_status status, struct fm_error *error)
{
    errno = 0;
    bool failed = fflush(target->out) != 0 || ferror(target->out);
    if (target->out != stdout)
        failed |= fclose(target->out) != 0;
    if (target->beside[0] && !status && !failed)
        failed = rename(target->beside, target->name) != 0;
    if (target->beside[0] && (status || failed))
        unlink(target->beside);
    if (failed && !status)
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", target->name, strerror(errno ? errno : EIO));
    return status;
}

enum fm_status fm_print_to(const char *output,
                           enum fm_status (*print)(void *context, FILE *out, struct fm_error *error), void *context,
                           struct fm_error *error)
{
    struct target target;
    enum fm_status status = open_target(&target, output, error);
    return status ? status : close_target(&target, print(context, target.out, error), error);
}

struct report_printer {
    const struct fm_printing *printing;
    struct fm_report *report;
};

static enum fm_status print_report(void *context, FILE *out, struct fm_error *error)
{
    const struct report_printer *printer = context;
    return printer->printing->print(printer->printing->context, printer->report, out, error);
}

void fm_say(void *command, const char *sentence)
{
    fm_print_line(stderr, "fathom %s: %s.\n", (const char *)command, sentence);
}

enum fm_status fm_print_profile(const struct fm_printing *printing, const struct fm_profile *profile,
                                struct fm_error *error)
{
    struct fm_report report;
    struct fm_symbols *symbols = fm_symbols_for(profile, printing->debug_path, printing->names_matter ? fm_say : NULL,
                                                (void *)printing->command);
    enum fm_status status = fm_report_open(&report, profile, symbols, &printing->options, error);
    if (!status) {
        status = fm_print_to(printing->output, print_report, &(struct report_printer){printing, &report}, error);
        fm_report_close(&report);
    }
    fm_symbols_destroy(symbols);
    return status;
}
