/* Pages as text and as HTML: nothing of a text is taken for anything else, and nothing is too wide. */
#include "site/mail/page.h"

#include <string.h>

#include "base/utf8.h"
#include "site/mail/links.h"
#include "site/mail/words.h"
#include "tap.h"

static struct fm_arena arena;

static size_t widest(const char *text)
{
    size_t most = 0;
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        char *line = fm_arena_strndup(&arena, text, bytes);
        most = fm_text_width(line) > most ? fm_text_width(line) : most;
        text += bytes + (text[bytes] == '\n');
    }
    return most;
}

static void fill(struct fm_page *page, const char *hostile)
{
    static const struct fm_page_column columns[] = {{"program", FM_PAGE_TEXTS | FM_PAGE_WRAPS},
                                                    {"where", FM_PAGE_TEXTS | FM_PAGE_WRAPS | FM_PAGE_SPARE},
                                                    {"hours", 0},
                                                    {0}};
    const struct fm_page_part parts[] = {{"program", 0.5, "#0072b2"}, {"MPI", 0.5, "#e69f00"}};
    page->subject = hostile;
    fm_page_add(page, FM_PAGE_LEAD, hostile);
    fm_page_message(page, true, hostile, hostile);
    fm_page_message_link(page, hostile, "https://example.org/?a=\"b\"");
    fm_page_add(page, FM_PAGE_HEADING, hostile);
    fm_page_bar(page, parts, 2);
    fm_page_table(page, columns);
    fm_page_row(page, &(struct fm_page_row){
                          .critical = true, .link = "https://example.org/?a=\"b\"", .cells = {hostile, hostile, "12"}});
    fm_page_row(page, &(struct fm_page_row){.cells = {"pop", "", "3"}});
    fm_page_link(page, hostile, "https://example.org/?a=\"b\"");
    fm_page_add(page, FM_PAGE_NOTE, hostile);
}

static void hostile_texts(void)
{
    char huge[10001];
    memset(huge, 'w', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    const char *const texts[] = {"<script>hacked=1</script>&\"'", "a\r\nBcc: x\033[31m\xe2\x80\xae\x01", huge,
                                 "\xff\xfe\xc3", ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fm_page page = {.arena = &arena};
        struct fm_writer text = {.arena = &arena}, html = {.arena = &arena};
        fill(&page, texts[i]);
        fm_page_write_text(&text, &page);
        fm_page_write_html(&html, &page);
        const char *plain = fm_writer_text(&text), *marked = fm_writer_text(&html);
        tap_ok(plain && widest(plain) <= 78, "text %zu is at most 78 wide: %zu", i, widest(plain));
        tap_ok(!strpbrk(plain, "\r\033\x01") && !strstr(plain, "\xe2\x80\xae"), "nor has it control characters");
        tap_ok(marked && !strstr(marked, "<script") && !strpbrk(marked, "\r\033\x01") &&
                   !strstr(marked, "\xe2\x80\xae") && !strstr(marked, "=\"b\""),
               "HTML %zu is escaped", i);
        tap_ok(strlen(marked) < 20000, "and of reasonable size: %zu", strlen(marked));
    }
}

/* Addresses with any name are one word, and whole or not there. */
static void links(void)
{
    const struct fm_mail_texts none = {.url = ""}, texts = {.url = "https://example.org/fathom/#/jobs"};
    struct fm_page page = {.arena = &arena, .subject = ""};
    char huge[2001];
    memset(huge, 'w', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    const struct fm_mail_period period = {.from = 20514, .until = 20521};
    tap_ok(!fm_mail_link_job(&page, &none, 7) && !fm_mail_link_jobs(&page, &none, &period, "ann"),
           "no links without an address of the pages");
    const char *wanted = "https://example.org/fathom/#/program/a%22%3E%20%2F..%23%3F%26%25%C3%BC~?user=b%40c";
    const char *got = fm_mail_link_program(&page, &texts, "a\"> /..#?&%\xc3\xbc~", "b@c");
    tap_ok(got && strcmp(got, wanted) == 0, "a link with any name: %s", got);
    got = fm_mail_link_jobs(&page, &texts, &period, "ann");
    wanted = "https://example.org/fathom/#/jobs?from=2026-03-02&to=2026-03-08&order=wasted&user=ann";
    tap_ok(got && strcmp(got, wanted) == 0, "to the jobs of a week: %s", got);
    tap_ok(!fm_mail_link_program(&page, &texts, huge, "ann") && !fm_mail_link_program(&page, &texts, "", "ann"),
           "none that is too long or leads nowhere");
    const char *address = fm_page_print(&page, "https://example.org/#/program/%.*s", 800, huge);
    struct fm_writer text = {.arena = &arena}, html = {.arena = &arena};
    fm_page_message(&page, false, "pop", NULL);
    fm_page_message_link(&page, "The program", address);
    fm_page_link(&page, "Your jobs", address);
    fm_page_write_text(&text, &page);
    fm_page_write_html(&html, &page);
    const char *plain = strstr(fm_writer_text(&text), address), *marked = strstr(fm_writer_text(&html), address);
    tap_ok(plain && strstr(plain + 1, address) && marked && strstr(marked + 1, address), "long ones are whole in both");
}

static void layout(void)
{
    static const struct fm_page_column columns[] = {{"program", FM_PAGE_TEXTS | FM_PAGE_WRAPS}, {"hours", 0}, {0}};
    struct fm_page page = {.arena = &arena};
    struct fm_writer text = {.arena = &arena};
    fm_page_add(&page, FM_PAGE_LEAD, "Week 1: 2 jobs");
    fm_page_message(&page, true, "pop loses 1 core-hour", NULL);
    fm_page_add(&page, FM_PAGE_HEADING, "Programs");
    fm_page_table(&page, columns);
    fm_page_row(&page, &(struct fm_page_row){.critical = true, .cells = {"pop", "1,100"}});
    fm_page_row(&page, &(struct fm_page_row){.cells = {"\xd7\xa9\xd7\x9c", "3"}});
    fm_page_write_text(&text, &page);
    const char *wanted = "Week 1: 2 jobs\n\n! pop loses 1 core-hour\n\nPrograms\n--------\n  program  hours\n"
                         "! pop      1,100\n  \xd7\xa9\xd7\x9c           3\n";
    if (!tap_ok(strcmp(fm_writer_text(&text), wanted) == 0, "critical lines begin with !, columns are aligned"))
        printf("# %s\n", fm_writer_text(&text));
}

static void equal(const char *got, const char *wanted)
{
    tap_ok(strcmp(got, wanted) == 0, "'%s' is '%s'", got, wanted);
}

static void words(void)
{
    struct fm_page page = {.arena = &arena};
    struct fm_mail_period period;
    const struct fm_mail_texts texts = {"jupiter", "", "", ""}, none = {"", "", "", ""};
    equal(fm_words_hours(&page, 3600 * 12345.0), "12,345");
    equal(fm_words_hours(&page, 3600 * 12.34), "12.3");
    equal(fm_words_hours(&page, 1), "<0.01");
    equal(fm_words_hours(&page, 0), "0");
    equal(fm_words_change(&page, 111, 100), "+11 %");
    equal(fm_words_change(&page, 1, 0), "");
    equal(fm_words_points(&page, 0.68, 0.71), "-3 points");
    equal(fm_words_figure(&page, FM_REFERENCE_FP, 1.234e9), "1.23 G/s");
    equal(fm_words_figure(&page, FM_REFERENCE_FP, 999.9e6), "1.00 G/s");
    equal(fm_words_better(&page, FM_REFERENCE_MPI, 90, "users"), "10 % of users");
    equal(fm_words_better(&page, FM_REFERENCE_PARALLEL, 90, "users"), "90 % of users");
    equal(fm_words_place(&page, "pop.f90", 118, "solve"), "pop.f90:118");
    equal(fm_words_place(&page, "", 0, "solve"), "solve");
    fm_mail_period_describe(&period, 20766, 20773); /* from a Monday */
    equal(period.name, "2026-W46");
    equal(period.title, "week 46 (9 to 15 November 2026)");
    equal(fm_words_when(&page, &period, &texts, true), "Week 46 on jupiter (9 to 15 November 2026)");
    fm_mail_period_describe(&period, 20758, 20788);
    equal(period.name, "2026-11");
    tap_ok(period.before == 20727, "the month before begins on its first day");
    equal(fm_words_when(&page, &period, &none, true), "November 2026");
    fm_mail_period_describe(&period, 20757, 20760);
    equal(period.name, "2026-10-31..2026-11-02");
    tap_ok(period.before == 20754, "the days before");
    equal(fm_words_when(&page, &period, &none, true), "31 October to 2 November 2026");
    fm_mail_period_describe(&period, 20815, 20822);
    equal(period.title, "week 53 (28 December 2026 to 3 January 2027)");
}

static void who_is_among_the_worst(void)
{
    struct fm_reference alike = {.value = 0.740, .n = 100, .of = 100, .median = 0.745, .percentile = 4};
    struct fm_reference worse = {.value = 0.500, .n = 100, .of = 100, .median = 0.745, .percentile = 4};
    struct fm_reference usual = {.value = 0.600, .n = 100, .of = 100, .median = 0.745, .percentile = 40};
    tap_ok(!fm_mail_is_critical(FM_REFERENCE_PARALLEL, &alike), "nobody, if all values are alike");
    tap_ok(fm_mail_is_critical(FM_REFERENCE_PARALLEL, &worse), "the worst tenth");
    tap_ok(!fm_mail_is_critical(FM_REFERENCE_PARALLEL, &usual), "not the others");
}

int main(void)
{
    hostile_texts();
    layout();
    links();
    words();
    who_is_among_the_worst();
    fm_arena_destroy(&arena);
    return tap_done();
}
