/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/answer.h"

#include <stdio.h>
#include <string.h>

#include "base/safe_text.h"

static void escape(char *to, size_t size, const char *text)
{
    size_t n = 0;
    while (*text && n + FM_SAFE_BYTES < size)
        n += fm_safe_next(FM_SAFE_JSON, &text, to + n);
    to[n] = 0;
}

struct fm_answer fm_answer_error(unsigned code, const char *sentence)
{
    struct fm_answer answer = {.code = code, .kind = FM_ANSWER_JSON};
    char safe[1200];
    escape(safe, sizeof safe, sentence);
    snprintf(answer.text, sizeof answer.text, "{\"fathom\":1,\"error\":\"%s\"}\n", safe);
    return answer;
}

struct fm_answer fm_answer_plain(unsigned code, const char *sentence)
{
    struct fm_answer answer = {.code = code, .kind = FM_ANSWER_TEXT};
    snprintf(answer.text, sizeof answer.text, "fathom serve: %s.\n", sentence);
    return answer;
}

struct fm_answer fm_answer_failure(const struct fm_error *error)
{
    return fm_answer_error(error->status == FM_ERR_USAGE    ? 404
                           : error->status == FM_ERR_MEMORY ? 503
                                                            : 422,
                           error->text);
}

struct fm_answer fm_answer_wait(double seconds, double done)
{
    struct fm_answer answer = {.code = 202, .kind = FM_ANSWER_JSON};
    char part[32] = "null";
    if (done >= 0)
        snprintf(part, sizeof part, "%.4f", done);
    snprintf(answer.text, sizeof answer.text, "{\"fathom\":1,\"state\":\"reading\",\"done\":%s,\"seconds\":%.3f}\n",
             part, seconds);
    return answer;
}

struct fm_answer fm_answer_copy(const struct fm_answer *answer)
{
    if (answer->blob)
        fm_blob_keep(answer->blob);
    return *answer;
}
