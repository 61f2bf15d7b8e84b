/* What settings may be, and what is said of those that are not understood. */
#include "base/settings.h"

#include <string.h>

#include "tap.h"

static void test_values(void)
{
    uint64_t bytes = 0;
    unsigned number = 7;
    bool on = false;
    tap_ok(fm_setting_memory("4M", &bytes) && bytes == 4 << 20 && fm_setting_memory("512k", &bytes) &&
               bytes == 512 << 10 && fm_setting_memory("300000", &bytes) && bytes == 300000,
           "sizes");
    static const char *const sizes[] = {"", "0", "M", "-4M", "4MB", "4G", " 4M", "lots", "99999999999999999999"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        tap_ok(!fm_setting_memory(sizes[i], &bytes) && bytes == 300000, "no size: '%s'", sizes[i]);
    tap_ok(fm_setting_sampling("off", &number, &on) && number == 0 && fm_setting_sampling("cpu:100", &number, &on) &&
               number == 100 && on && fm_setting_sampling("10000", &number, &on) && number == 10000 && !on,
           "samples");
    static const char *const rates[] = {"", "fast", "10001", "cpu:", "-1", "1e3", "100Hz", "000001"};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        tap_ok(!fm_setting_sampling(rates[i], &number, &on) && number == 10000, "no samples: '%s'", rates[i]);
    tap_ok(fm_setting_tick("1ns", &number) && number == 0 && fm_setting_tick("10us", &number) && number == 4 &&
               fm_setting_tick("1s", &number) && number == 9,
           "ticks");
    tap_ok(!fm_setting_tick("10s", &number) && !fm_setting_tick("7us", &number) && !fm_setting_tick("us", &number) &&
               number == 9,
           "no ticks");
    tap_ok(fm_setting_mode("0640", &number) && number == 0640 && !fm_setting_mode("1000", &number) &&
               !fm_setting_mode("rw", &number) && !fm_setting_mode("", &number) && number == 0640,
           "modes");
    tap_ok(fm_setting_switch("yes", &on) && on && fm_setting_switch("off", &on) && !on &&
               !fm_setting_switch("maybe", &on) && !on,
           "switches");
}

static void test_problems(void)
{
    static const struct {
        const char *name, *value, *says;
    } cases[] = {{"FATHOM_MEMORY", "4M", ""},
                 {"FATHOM_MEMORY", "", ""},
                 {"FATHOM_MEMORY", "256K", ""},
                 {"FATHOM_MEMORY", "1K", "FATHOM_MEMORY=1K is less than the minimum; using 256K"},
                 {"FATHOM_MEMORY", "2048M", "FATHOM_MEMORY=2048M is more than the maximum; using 1024M"},
                 {"FATHOM_MEMORY", "lots", "FATHOM_MEMORY must be a size such as 4M or 512K, not 'lots'; using 4M"},
                 {"FATHOM_SAMPLE", "\033[2J",
                  "FATHOM_SAMPLE must be a rate of at most 10000 samples per second, or off, "
                  "not '?[2J'; sampling is off"},
                 {"FATHOM_COMMIT", "3f2a91c", ""},
                 {"FATHOM_COMMIT", "off", ""},
                 {"FATHOM_COMMIT", "not a commit",
                  "FATHOM_COMMIT must be a commit id, a tag of at most 24 characters, or off; no commit is recorded"},
                 {"FATHOM_OUTPUT", "/no/such/place", ""},
                 {"FATHOM_OUPUT", "x", "unknown setting FATHOM_OUPUT; did you mean FATHOM_OUTPUT?"},
                 {"FATHOM_SAMPLES", "9", "unknown setting FATHOM_SAMPLES; did you mean FATHOM_SAMPLE?"},
                 {"FATHOM_SOURCE", "x", ""},
                 {"FATHOM_BUILD", "x", ""},
                 {"FATHOM_A_NAME_LONGER_THAN_ANY_SETTING_HAS", "x", ""},
                 {"MEMORY", "lots", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sentence[FM_SETTING_SENTENCE] = "";
        bool wrong = fm_setting_problem(cases[i].name, cases[i].value, sentence);
        tap_ok(wrong == (*cases[i].says != 0) && strcmp(sentence, cases[i].says) == 0, "%s=%s: '%s'", cases[i].name,
               strchr(cases[i].value, '\033') ? "?" : cases[i].value, sentence);
    }
}

static void test_known(void)
{
    tap_ok(fm_setting_known("FATHOM_MEMORY") && !fm_setting_known("MEMORY") && !fm_setting_known("FATHOM_MEMROY") &&
               !fm_setting_known("FATHOM_") && !fm_setting_known(""),
           "settings are known by their whole names");
}

int main(void)
{
    test_known();
    test_values();
    test_problems();
    return tap_done();
}
