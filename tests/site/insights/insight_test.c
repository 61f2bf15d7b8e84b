/* Insights are replaced as a whole and read by user and program. */
#include "site/insights/insight.h"

#include <string.h>

#include "site/store/testing.h"
#include "tap.h"

static struct fm_insight all[] = {
    {"slower", "ann", "pop", NULL, 20000, 3600, 0.999, "pop became 4 % slower", "{\"factor\": 1.04}"},
    {"scaling", "bob", "pop", NULL, 20010, 100, 0.99, "pop does not scale; it's \"MPI_Bcast\"", "{}"},
    {"slow-host", NULL, NULL, "node7", -1, 10, 1, "node7 is slow", "{}"},
};

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static size_t read(struct fm_db *db, const char *user, const char *program, struct fm_arena *arena,
                   struct fm_insight_list *list)
{
    struct fm_error error = {0};
    if (fm_insights_read(db, user, program, arena, list, &error))
        printf("# %s\n", error.text);
    return list->n;
}

int main(void)
{
    struct fm_error error = {0};
    struct fm_arena arena = {0};
    struct fm_insight_list list, wanted = {all, 3, 1234567890};
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    struct fm_db *db = fm_store_db(store);
    tap_ok(!read(db, NULL, NULL, &arena, &list) && list.analysed == -1, "nothing was analysed yet");
    tap_ok(!fm_insights_write(db, &wanted, &error), "written %s", error.text);
    bool good = read(db, NULL, NULL, &arena, &list) == 3 && list.analysed == 1234567890;
    for (size_t i = 0; good && i < 3; i++)
        good = same(list.insights[i].kind, all[i].kind) && same(list.insights[i].user, all[i].user) &&
               same(list.insights[i].program, all[i].program) && same(list.insights[i].host, all[i].host) &&
               list.insights[i].day == all[i].day && list.insights[i].cost_s == all[i].cost_s &&
               list.insights[i].certainty == all[i].certainty && same(list.insights[i].sentence, all[i].sentence) &&
               same(list.insights[i].document, all[i].document);
    tap_ok(good, "read back as they were, in order");
    tap_ok(read(db, "ann", NULL, &arena, &list) == 1 && same(list.insights[0].program, "pop"), "of a user");
    tap_ok(read(db, NULL, "pop", &arena, &list) == 2, "of a program");
    tap_ok(read(db, "bob", "pop", &arena, &list) == 1 && same(list.insights[0].kind, "scaling"), "of both");
    tap_ok(read(db, "ann' OR '1'='1", NULL, &arena, &list) == 0, "of a hostile name");
    wanted.n = 1;
    wanted.analysed++;
    tap_ok(!fm_insights_write(db, &wanted, &error) && read(db, NULL, NULL, &arena, &list) == 1 &&
               list.analysed == 1234567891,
           "the next analysis replaces them");
    fm_arena_destroy(&arena);
    fm_store_close(store);
    fm_test_database_end();
    return tap_done();
}
