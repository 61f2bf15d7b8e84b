/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/mail/links.h"

#include <inttypes.h>
#include <string.h>

#include "site/mail/words.h"

enum { LONGEST = 900 };

/* Everything but letters, digits and a few signs as %XX: it is then the same in a path and in a query. */
static void write_name(struct fm_writer *out, const char *name)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (; *name && out->n < LONGEST; name++)
        fm_write(out, strchr(plain, *name) ? "%c" : "%%%02X", (unsigned char)*name);
}

/* The address of the pages, up to the path of one of them. */
static struct fm_writer begin(struct fm_page *page, const struct fm_mail_texts *texts, const char *path)
{
    struct fm_writer out = {.arena = page->arena};
    fm_write(&out, "%.*s#/%s", (int)strcspn(texts->url, "#"), texts->url, path);
    return out;
}

static const char *finish(struct fm_page *page, const struct fm_mail_texts *texts, const struct fm_writer *out)
{
    const char *address = fm_writer_text(out);
    page->failed = page->failed || !address;
    return *texts->url && address && out->n < LONGEST ? address : NULL;
}

const char *fm_mail_link_jobs(struct fm_page *page, const struct fm_mail_texts *texts,
                              const struct fm_mail_period *period, const char *user)
{
    struct fm_writer out = begin(page, texts, "jobs");
    fm_write(&out, "?from=%s", fm_words_date(page, period->from));
    fm_write(&out, "&to=%s&order=wasted", fm_words_date(page, period->until - 1));
    if (user) {
        fm_write(&out, "&user=");
        write_name(&out, user);
    }
    return finish(page, texts, &out);
}

const char *fm_mail_link_job(struct fm_page *page, const struct fm_mail_texts *texts, int64_t job)
{
    struct fm_writer out = begin(page, texts, "job/");
    fm_write(&out, "%" PRId64, job);
    return finish(page, texts, &out);
}

const char *fm_mail_link_program(struct fm_page *page, const struct fm_mail_texts *texts, const char *program,
                                 const char *user)
{
    struct fm_writer out = begin(page, texts, "program/");
    write_name(&out, program);
    fm_write(&out, "?user=");
    write_name(&out, user);
    return *program ? finish(page, texts, &out) : NULL;
}

const char *fm_mail_link_host(struct fm_page *page, const struct fm_mail_texts *texts, const char *host)
{
    struct fm_writer out = begin(page, texts, "jobs?last=all&host=");
    write_name(&out, host);
    return finish(page, texts, &out);
}

void fm_mail_link_insight(struct fm_page *page, const struct fm_mail_texts *texts, const struct fm_insight *insight)
{
    if (insight->program && insight->user)
        fm_page_message_link(page, "The program", fm_mail_link_program(page, texts, insight->program, insight->user));
    else if (insight->host)
        fm_page_message_link(page, "Jobs on this host", fm_mail_link_host(page, texts, insight->host));
}
