/* Each mail once: who may send it, and how many a minute. */
#include "site/mail/state.h"

#include <string.h>

#include "site/mail/deliver.h"
#include "site/store/testing.h"
#include "tap.h"

static struct fm_arena arena;

static bool claim(struct fm_db *db, const char *period, const char *user, int64_t now, int64_t retry_before)
{
    struct fm_error error = {0};
    bool claimed = false;
    if (fm_mail_claim(db, period, user, now, retry_before, &claimed, &error))
        tap_ok(false, "%s", error.text);
    return claimed;
}

static const char *state_of(struct fm_db *db, const char *user)
{
    struct fm_error error = {0};
    struct fm_mail_states states;
    if (fm_mail_states_read(db, "2026-W46", &arena, &states, &error))
        return "unknown";
    const struct fm_mail_state *state = fm_mail_state_of(&states, user);
    return state ? state->state : "none";
}

static void claims(struct fm_db *db, struct fm_db *other)
{
    struct fm_error error = {0};
    tap_ok(claim(db, "2026-W46", "ann", 1000, 0), "a mail is claimed");
    tap_ok(strcmp(state_of(other, "ann"), FM_MAIL_SENDING) == 0, "everybody can see it");
    tap_ok(!claim(db, "2026-W46", "ann", 1001, 0) && !claim(other, "2026-W46", "ann", 1001, 0), "once");
    tap_ok(claim(other, "2026-W47", "ann", 1001, 0) && claim(other, "2026-W46", "bob", 1001, 0),
           "other periods and users are other mails");
    tap_ok(!claim(other, "2026-W46", "ann", 1100, 1000), "a retry leaves alone what may still be sent");
    tap_ok(claim(other, "2026-W46", "ann", 1100, 1001), "but takes what was left behind");
    tap_ok(!claim(db, "2026-W46", "ann", 1100, 1001), "once");
    tap_ok(!fm_mail_settle(db, "2026-W46", "ann", false, 1200, &error) &&
               strcmp(state_of(db, "ann"), FM_MAIL_FAILED) == 0 && claim(db, "2026-W46", "ann", 1300, 0),
           "what failed is tried again");
    tap_ok(!fm_mail_settle(db, "2026-W46", "ann", true, 1400, &error) && !claim(db, "2026-W46", "ann", 1500, 0) &&
               !claim(db, "2026-W46", "ann", 1500, 1500),
           "what was sent is not");
    tap_ok(strcmp(state_of(db, "bob"), FM_MAIL_SENDING) == 0 && strcmp(state_of(db, "eve"), "none") == 0,
           "nobody else's mail has changed");
}

static void refusals(struct fm_db *db)
{
    struct fm_error error = {0};
    struct fm_mail_states found;
    tap_ok(!fm_mail_refuse(db, "ann", true, 1, &error) && !fm_mail_refuse(db, "ann", true, 2, &error) &&
               !fm_mail_refusals_read(db, &arena, &found, &error) && found.n == 1 && fm_mail_state_of(&found, "ann") &&
               !fm_mail_state_of(&found, "bob"),
           "a user refuses");
    tap_ok(!fm_mail_refuse(db, "ann", false, 3, &error) && !fm_mail_refusals_read(db, &arena, &found, &error) &&
               !found.n,
           "and accepts");
}

/* Counted over a made-up hour, with pauses of two who send. */
static void turns(struct fm_db *db, struct fm_db *other)
{
    struct fm_error error = {0};
    int64_t starts[1000], now = 5000000, start = 0;
    size_t n = 0, most = 0;
    while (now < 3600 * 1000000ll && n < 1000) {
        if (fm_mail_turn(n % 3 ? db : other, 30, now, &start, &error) || start < now) {
            tap_ok(false, "a turn: %s", error.text);
            return;
        }
        starts[n++] = start;
        now = n % 4 ? now : start;        /* some do not wait for the turn of the others */
        now += n % 100 ? 1000 : 90000000; /* each takes a millisecond, some much longer */
    }
    for (size_t i = 0; i < n; i++) {
        size_t within = 0;
        for (size_t j = i; j < n && starts[j] < starts[i] + 60000000; j++)
            within++;
        most = within > most ? within : most;
    }
    tap_ok(most == 30, "at most 30 mails within any minute: %zu of %zu", most, n);
    tap_ok(!fm_mail_turn(db, 30, 1000000, &start, &error) && start == 1000000,
           "a turn that was taken with a wrong clock is forgotten");
    tap_ok(!fm_mail_turn(db, 0, 1000001, &start, &error) && start == 1000001 &&
               !fm_mail_turn(db, 0, 1000001, &start, &error) && start == 1000001,
           "no limit");
}

static void commands(void)
{
    char *const *words;
    struct fm_error error = {0};
    tap_ok(!fm_mail_command_split("/bin/sh  -c exit", &arena, &words, &error) && strcmp(words[2], "exit") == 0 &&
               !words[3],
           "the words of a command");
    tap_ok(fm_mail_command_split("sendmail -t", &arena, &words, &error) == FM_ERR_INPUT &&
               fm_mail_command_split("", &arena, &words, &error) == FM_ERR_INPUT,
           "it begins with a path: %s", error.text);
    char *const good[] = {"/bin/cat", NULL},
                *const bad[] = {"/bin/sh", "-c", "cat >/dev/null; echo oh no >&2; exit 75", NULL},
                *const killed[] = {"/bin/sh", "-c", "kill -9 $$", NULL}, *const missing[] = {"/no/sendmail", NULL},
                *const slow[] = {"/bin/sleep", "600", NULL};
    tap_ok(!fm_mail_deliver(good, "mail", 4, 60, &error), "a command that takes the mail");
    tap_ok(fm_mail_deliver(bad, "mail", 4, 60, &error) && strstr(error.text, "status 75: oh no"), "one that fails: %s",
           error.text);
    tap_ok(fm_mail_deliver(killed, "mail", 4, 60, &error) && strstr(error.text, "signal 9"), "one that is killed: %s",
           error.text);
    tap_ok(fm_mail_deliver(missing, "mail", 4, 60, &error) && strstr(error.text, "No such file"),
           "one that is not there: %s", error.text);
    tap_ok(fm_mail_deliver(slow, "mail", 4, 0.01, &error) && strstr(error.text, "took longer than 0.01"),
           "one that does not end: %s", error.text);
}

int main(void)
{
    const char *address = fm_test_database();
    struct fm_store *store = fm_test_store(address, FM_DB_CREATE), *other = fm_test_store(address, FM_DB_WRITE);
    claims(fm_store_db(store), fm_store_db(other));
    refusals(fm_store_db(store));
    turns(fm_store_db(store), fm_store_db(other));
    commands();
    fm_store_close(store);
    fm_store_close(other);
    fm_test_database_end();
    fm_arena_destroy(&arena);
    return tap_done();
}
