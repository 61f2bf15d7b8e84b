#define _GNU_SOURCE
#include "measure/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/settings.h"
#include "measure/lock.h"
#include "measure/runtime.h"
#include "reduce/node_files.h"

/* The output was found to be impossible, and that was said, when the job began. */
static bool output_is_told;

static const char *text_of(const char *variable)
{
    const char *text = getenv(variable);
    return text ? text : "";
}

/* A `fathom run` for each rank says nothing of its own. */
static bool others_speak(const char *run_id)
{
    return *run_id && strncmp(run_id, "ranks-", 6) != 0;
}

/* In one write: what other ranks say does not come in between. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char line[FM_PATH_BYTES + 512] = "fathom: "; /* programs have small stacks, too */
    size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    used += (size_t)length < sizeof line - used - 1 ? (size_t)length : sizeof line - used - 2;
    line[used++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, used);
    (void)written;
}

static void say_problem(void *context, const char *name, const char *sentence)
{
    (void)context;
    (void)name;
    say("%s", sentence);
}

void fm_say_settings(int rank)
{
    const char *run_id = text_of("FATHOM_RUN_ID"), *output = text_of("FATHOM_OUTPUT"),
               *directory = text_of("FATHOM_DIR");
    char folder[FM_PATH_BYTES];
    if (fm_is_silent() || others_speak(run_id))
        return;
    output_is_told = *output && !*run_id && fm_node_output_refused(output, folder);
    int reason = errno;
    if (rank != 0)
        return;
    fm_settings_problems(say_problem, NULL);
    if (output_is_told)
        say("FATHOM_OUTPUT: no profile can be written into %.3000s (%s): it goes into the working directory, or into your "
            "home directory",
            folder, fm_node_reason(reason));
    if (*directory && fm_rt.segment && strcmp(fm_rt.directory, directory) != 0)
        say("FATHOM_DIR: %.3000s cannot be used: what is measured lies in %s", directory,
            *fm_rt.directory ? fm_rt.directory : "private memory, and is lost if the program is killed");
}

void fm_say_output(const struct fm_error *error, const char *path)
{
    const char *run_id = fm_rt.segment->run_id;
    if (*run_id || (path && output_is_told))
        return;
    if (path)
        say("%s; the profile is in %s", error->text, path);
    else if (*fm_rt.directory)
        say("%s; what was measured is kept in %s: collect it with: fathom collect -o DIRECTORY", error->text,
            fm_rt.directory);
    else
        say("%s; what was measured is lost", error->text);
}
