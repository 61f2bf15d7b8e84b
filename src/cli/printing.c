#include "cli/printing.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

enum fm_status fm_print_to(const char *output,
                           enum fm_status (*print)(void *context, FILE *out, struct fm_error *error), void *context,
                           struct fm_error *error)
{
    const char *name = output ? output : "standard output";
    FILE *out = output ? fopen(output, "w") : stdout;
    if (!out)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", name, strerror(errno));
    errno = 0;
    enum fm_status status = print(context, out, error);
    bool failed = fflush(out) != 0 || ferror(out);
    if (output)
        failed |= fclose(out) != 0;
    if (failed && !status)
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %s", name, strerror(errno ? errno : EIO));
    return status;
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

static void say(void *context, const char *sentence)
{
    const struct fm_printing *printing = context;
    fprintf(stderr, "fathom %s: %s.\n", printing->command, sentence);
}

enum fm_status fm_print_profile(const struct fm_printing *printing, const struct fm_profile *profile,
                                struct fm_error *error)
{
    struct fm_report report;
    char cache[PATH_MAX];
    struct fm_symbols_options wishes = {
        .debug_path = printing->debug_path,
        .directory = profile->job.cwd,
        .cache = fm_symbols_cache_directory(cache, sizeof cache),
        .say = printing->names_matter ? say : NULL,
        .context = (void *)printing,
    };
    struct fm_symbols *symbols = fm_symbols_create(&wishes);
    enum fm_status status = fm_report_open(&report, profile, symbols, &printing->options, error);
    if (!status) {
        status = fm_print_to(printing->output, print_report, &(struct report_printer){printing, &report}, error);
        fm_report_close(&report);
    }
    fm_symbols_destroy(symbols);
    return status;
}
