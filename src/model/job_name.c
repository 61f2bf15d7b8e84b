/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/job_name.h"

#include <ctype.h>
#include <string.h>

#include "base/basename.h"

bool fm_is_python(const char *name)
{
    static const char python[] = "python";
    size_t length = sizeof python - 1;
    return strncmp(name, python, length) == 0 && (!name[length] || isdigit((unsigned char)name[length]));
}

/* The script or the module that a command line of Python runs; NULL if it runs none. */
static const char *script_of(const struct fm_job *job)
{
    for (size_t i = 1; i < job->n_argv; i++) {
        const char *word = job->argv[i];
        if (word[0] != '-')
            return fm_basename(word);
        if (strncmp(word, "--", 2) == 0) {
            i += strcmp(word, "--check-hash-based-pycs") == 0;
            continue;
        }
        /* One letter after the other; the value of some is the rest of the word or, if that is empty, the next word. */
        size_t at = 1 + strcspn(word + 1, "cmWX");
        const char *value = !word[at] ? NULL : word[at + 1] ? word + at + 1 : ++i < job->n_argv ? job->argv[i] : NULL;
        if (word[at] == 'm')
            return value;
        if (word[at] == 'c' || !word[1]) /* a program in the command line or in the standard input */
            return NULL;
    }
    return NULL;
}

const char *fm_job_name(const struct fm_job *job)
{
    const char *name = fm_basename(job->exe[0] ? job->exe : job->n_argv ? job->argv[0] : "");
    const char *script = fm_is_python(name) ? script_of(job) : NULL;
    return script && script[0] ? script : name;
}
