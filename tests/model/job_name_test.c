/* What a job is called: its executable, or the script that Python runs. */
#include "model/job_name.h"

#include <string.h>

#include "tap.h"

#define NAMED(expected, exe, ...) named(expected, exe, (const char *[]){__VA_ARGS__, NULL})

static void named(const char *expected, const char *exe, const char **argv)
{
    struct fm_job job = {.exe = exe, .argv = argv};
    while (argv[job.n_argv])
        job.n_argv++;
    const char *name = fm_job_name(&job);
    tap_ok(strcmp(name, expected) == 0, "%s: '%s' is '%s'", exe, expected, name);
}

int main(void)
{
    NAMED("pop", "/opt/bin/pop", "./pop", "model.py");
    NAMED("pop", "", "bin/pop");
    NAMED("python3.11", "/usr/bin/python3.11", "python3");
    NAMED("model.py", "/usr/bin/python3.11", "python3", "runs/model.py", "-n", "4");
    NAMED("model.py", "/usr/bin/python3", "python3", "-u", "-X", "dev", "-Wignore", "-OO", "--", "model.py");
    NAMED("model.py", "/usr/bin/python3", "python3", "-bsW", "ignore", "--check-hash-based-pycs", "never", "model.py");
    NAMED("ocean.run", "/usr/bin/python3", "python3", "-um", "ocean.run", "x.py");
    NAMED("ocean", "/usr/bin/python3", "python3", "-mocean");
    NAMED("python3", "/usr/bin/python3", "python3", "-c", "import ocean", "x.py");
    NAMED("python3", "/usr/bin/python3", "python3", "-", "x.py");
    NAMED("python3", "/usr/bin/python3", "python3", "-m");
    NAMED("python3", "/usr/bin/python3", "python3", "scripts/");
    NAMED("pythonic", "/usr/bin/pythonic", "pythonic", "x.py");
    tap_ok(fm_job_name(&(struct fm_job){.exe = ""})[0] == 0, "an unknown job has no name");
    return tap_done();
}
