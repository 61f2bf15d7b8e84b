/* SPDX-License-Identifier: BSD-3-Clause */
/* Which steps the plug-in for Slurm measures, and what it puts into their environment. */
#include "spank/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

static char told[2048], given[2048];

static void hear(const char *sentence)
{
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", sentence);
}

static void note(void *context, const char *name, const char *value, bool replace)
{
    (void)context;
    snprintf(given + strlen(given), sizeof given - strlen(given), "%s%s%s ", name, replace ? ":=" : "=", value);
}

static void with(const char *present, const char *wanted)
{
    char result[64] = "-";
    bool changed = fm_policy_preload_with(present, "/l/f.so", result, sizeof result);
    tap_ok(changed == (wanted != NULL) && (!wanted || strcmp(result, wanted) == 0), "LD_PRELOAD=%s with ours: %s",
           present ? present : "(not set)", result);
}

static void without(const char *present, const char *wanted)
{
    char result[64] = "-";
    bool changed = fm_policy_preload_without(present, "/l/f.so", result, sizeof result);
    tap_ok(changed == (wanted != NULL) && (!wanted || strcmp(result, wanted) == 0), "LD_PRELOAD=%s without ours: %s",
           present ? present : "(not set)", result);
}

static void check_preload(void)
{
    char result[12];
    with(NULL, "/l/f.so");
    with("", "/l/f.so");
    with("/a.so", "/l/f.so:/a.so");
    with("/a.so b.so", "/l/f.so:/a.so b.so");
    with("/l/f.so", NULL);
    with("/l/f.so:/a.so", NULL);
    with("/a.so:/l/f.so", "/l/f.so:/a.so");
    with("/l/f.so.old", "/l/f.so:/l/f.so.old");
    without(NULL, NULL);
    without("/a.so", NULL);
    without("/l/f.so", "");
    without("/l/f.so:/a.so", "/a.so");
    without("/a.so /l/f.so /b.so", "/a.so:/b.so");
    without("/l/f.so.old:/x/l/f.so", NULL);
    tap_ok(!fm_policy_preload_with("/a.so", "/l/f.so", result, sizeof result), "what does not fit is not set");
    tap_ok(!fm_policy_preload_with("", "/with space/f.so", told, sizeof told), "nor a path that cannot be written");
}

static void options(const char *option, const char *wanted, const char *complaint)
{
    struct fm_policy policy;
    fm_policy_init(&policy);
    *told = *given = 0;
    fm_policy_variables(&policy, option, note, NULL, hear);
    tap_ok(strcmp(given, wanted) == 0 && strcmp(told, complaint) == 0, "--fathom=%s: %s", option, wanted);
    if (strcmp(given, wanted) != 0 || strcmp(told, complaint) != 0)
        printf("# gave '%s', told '%s'\n", given, told);
}

static void check_options(void)
{
    options("yes", "", "");
    options("no", "", "");
    options("sample=200", "FATHOM_SAMPLE:=200 ", "");
    options("sample=cpu:200,io=off", "FATHOM_SAMPLE:=cpu:200 FATHOM_IO:=off ", "");
    options("counters=cycles,instructions,io=off,memory=8M",
            "FATHOM_COUNTERS:=cycles,instructions FATHOM_IO:=off FATHOM_MEMORY:=8M ", "");
    options("io=off,counters=a,b,c", "FATHOM_IO:=off FATHOM_COUNTERS:=a,b,c ", "");
    options("library=/tmp/x,io=off", "FATHOM_IO:=off ", "--fathom has no 'library'\n");
    options("nonsense", "", "--fathom must be yes, no or NAME=VALUE,..., not 'nonsense'\n");
    options("a,io=off", "FATHOM_IO:=off ", "--fathom: 'a' has no value\n");
    options("io=", "FATHOM_IO:= ", "");
    options("=,=,", "", "--fathom has no ''\n--fathom has no ''\n");
}

static void check_file(void)
{
    struct fm_policy policy;
    char path[] = "policy.conf", argument[64];
    FILE *file = fopen(path, "w");
    fputs("# a comment = not read\n"
          "spool = /var/spool/fathom\n"
          "  exclude_users=root, 4711\n"
          "exclude_programs = gdb /opt/*/bin/pre-*\n"
          "database = sqlite:/var/lib/x\n"
          "measure = perhaps\n"
          "spool = relative\n"
          "environment = FATHOM_SAMPLE=29 PATH=/tmp FATHOM_IO=off\n",
          file);
    fclose(file);
    *told = *given = 0;
    fm_policy_init(&policy);
    snprintf(argument, sizeof argument, "conf=%s", path);
    fm_policy_argument(&policy, argument, hear);
    tap_ok(strcmp(policy.spool, "/var/spool/fathom") == 0, "the spool of the file");
    tap_ok(strcmp(policy.users, "root, 4711") == 0, "its excluded users");
    tap_ok(policy.unasked && strcmp(policy.spool, "/var/spool/fathom") == 0, "wrong values are left out");
    tap_ok(strcmp(told, "measure must be on or off, not 'perhaps'\nspool: 'relative' is not an absolute path\n") == 0,
           "with a sentence each, and nothing about names that are for others");
    *told = 0;
    fm_policy_variables(&policy, NULL, note, NULL, hear);
    tap_ok(strcmp(given, "FATHOM_OUTPUT=/var/spool/fathom/ FATHOM_SAMPLE=29 FATHOM_IO=off ") == 0, "variables: %s",
           given);
    tap_ok(strcmp(told, "environment: 'PATH=/tmp' is not FATHOM_NAME=VALUE\n") == 0, "only our own");
    *told = 0;
    fm_policy_argument(&policy, "spool=/elsewhere", hear);
    tap_ok(strcmp(policy.spool, "/elsewhere") == 0 && !*told, "an argument after the file replaces its value");
    fm_policy_argument(&policy, "conf=/nonexistent/x", hear);
    fm_policy_argument(&policy, "colour=red", hear);
    fm_policy_argument(&policy, "colour", hear);
    tap_ok(strcmp(told, "cannot read /nonexistent/x: No such file or directory\n"
                        "plugstack.conf: there is no argument 'colour'\n"
                        "plugstack.conf: 'colour' is not NAME=VALUE\n") == 0,
           "what is wrong in plugstack.conf");
    unlink(path);
}

static struct fm_policy policy;

static void decide(struct fm_policy_step step, enum fm_policy_answer wanted, const char *reason)
{
    const char *why = "";
    enum fm_policy_answer answer = fm_policy_decide(&policy, &step, &why);
    tap_ok(answer == wanted && strcmp(why, reason) == 0, "uid %u, %s, --fathom=%s: %s", (unsigned)step.uid,
           step.program ? step.program : "a script", step.option ? step.option : "(not given)", why);
}

static void check_decisions(void)
{
    FILE *library = fopen("library.so", "w");
    fclose(library);
    fm_policy_init(&policy);
    snprintf(policy.library, sizeof policy.library, "library.so");
    snprintf(policy.off, sizeof policy.off, "off");
    snprintf(policy.users, sizeof policy.users, "root,ada 4711 guest*");
    snprintf(policy.programs, sizeof policy.programs, "gdb, /opt/*/pre-*");
    struct fm_policy_step step = {.uid = 1000, .user = "eve", .program = "./model"};
    decide(step, FM_POLICY_MEASURE, "measured");
    step.program = NULL;
    decide(step, FM_POLICY_MEASURE, "measured");
    step.program = "/usr/bin/gdb";
    decide(step, FM_POLICY_TAKE_OFF, "excluded program");
    step.option = "yes";
    decide(step, FM_POLICY_MEASURE, "measured");
    step.option = NULL;
    step.program = "/opt/x/pre-process";
    decide(step, FM_POLICY_TAKE_OFF, "excluded program");
    step.program = "pre-process";
    decide(step, FM_POLICY_MEASURE, "measured");
    step.user = "ada";
    decide(step, FM_POLICY_TAKE_OFF, "excluded user");
    step.user = "adam";
    decide(step, FM_POLICY_MEASURE, "measured");
    step.user = "guest17";
    decide(step, FM_POLICY_TAKE_OFF, "excluded user");
    step.user = NULL;
    step.uid = 471;
    decide(step, FM_POLICY_MEASURE, "measured");
    step.uid = 4711;
    decide(step, FM_POLICY_TAKE_OFF, "excluded user");
    step.uid = 1000;
    step.option = "no";
    decide(step, FM_POLICY_TAKE_OFF, "--fathom=no");
    step.option = "nonsense";
    decide(step, FM_POLICY_MEASURE, "measured");
    step.option = NULL;
    policy.unasked = false;
    decide(step, FM_POLICY_TAKE_OFF, "not asked for");
    step.option = "sample=10";
    decide(step, FM_POLICY_MEASURE, "measured");
    step.own = true;
    decide(step, FM_POLICY_LEAVE_ALONE, "measured by its user");
    step.own = false;
    FILE *off = fopen("off", "w");
    fclose(off);
    decide(step, FM_POLICY_TAKE_OFF, "switched off");
    unlink("off");
    decide(step, FM_POLICY_MEASURE, "measured");
    unlink("library.so");
    decide(step, FM_POLICY_TAKE_OFF, "no library");
}

int main(void)
{
    check_preload();
    check_options();
    check_file();
    check_decisions();
    return tap_done();
}
