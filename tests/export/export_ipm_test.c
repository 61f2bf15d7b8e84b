#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "report/sample.h"
#include "tap.h"

static char *export(const struct fm_profile *profile)
{
    struct fm_report report;
    struct fm_error error;
    const struct fm_report_options options = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool good = !fm_report_open(&report, profile, NULL, &options, &error) && !fm_export_ipm_xml(&report, out, &error);
    fclose(out);
    fm_report_close(&report);
    tap_ok(good, "exported");
    return text;
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    while ((text = strstr(text, part))) {
        text += strlen(part);
        n++;
    }
    return n;
}

int main(void)
{
    struct fm_profile *profile = sample_profile(4);
    for (size_t i = 0; i < profile->n_counters; i++)
        if (strcmp(profile->counters[i].name, "cycles") == 0)
            profile->counters[i].name = "fp-operations";
    char *text = export(profile);
    tap_ok(count(text, "gflop=\"4.00000e+00\" gbyte=\"8.78906e-02\"") == 1 && count(text, "gflop=\"2.00000e+00\"") == 3,
           "floating-point operations and memory of each task");
    tap_ok(count(text, "<hpm api=\"perf_event\" ncounter=\"3\" eventset=\"0\" gflop=\"2.0000e+00\" >\n"
                       "<counter name=\"instructions\" > 3000000000 </counter>\n"
                       "<counter name=\"fp-operations\" > 2000000000 </counter>\n"
                       "<counter name=\"LLC-load-misses\" > 1000000 </counter>\n</hpm>\n") == 3,
           "its counters, once");
    tap_ok(count(text, "> unknown </switch>") == 4, "traffic that was not measured");
    free(text);
    sample_add_resources(profile);
    profile->n_counters = 0;
    text = export(profile);
    tap_ok(count(text, "<switch bytes_tx=\"5.36871e+08\" bytes_rx=\"8.05306e+08\" > network </switch>\n") == 4,
           "a quarter of what the host has sent and received");
    tap_ok(!strstr(text, "<counter") && !strstr(text, "perf_event") && count(text, "gflop=\"0.00000e+00\"") == 4,
           "without counters");
    free(text);
    fm_profile_destroy(profile);
    return tap_done();
}
