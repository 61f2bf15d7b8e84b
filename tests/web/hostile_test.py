#!/usr/bin/env python3
"""Names that a browser would run, obey or show as another text: of functions, timers, regions, arguments, users, files and in
notes. All of them stay text, in every view, comparison and history, as one file and from the server, and do not push the page
apart."""
import json
import os
import shutil
import subprocess
import sys

import web
from web import jobs

SCRIPT = "<script>window.owned=1</script><img src=x onerror=window.owned=1>\"'&amp;${7*7}"
RIGHT_TO_LEFT = "‮אבג‏"
LONG = "x" * 10000

PROGRAM = """
#include <fathom.h>
extern void victim(void);
extern void victim_long(void);
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        fathom_region_begin(argv[i]);
        int timer;
        fathom_timer_get(&timer, argv[i]);
        fathom_timer_start(timer);
        victim();
        victim_long();
        fathom_timer_stop(timer);
        fathom_region_end(argv[i]);
    }
    return 0;
}
"""
VICTIM = "void %s(void) { volatile double x = 1; for (long i = 0; i < 80000000; i++) x = x * 0.5 + 1; }"


def build():
    folder = jobs.SCRATCH / "sources"
    folder.mkdir()
    texts = {"main": PROGRAM, "victim": VICTIM % "victim", "long": VICTIM % "victim_long"}
    for name, text in texts.items():
        (folder / f"{name}.c").write_text(text, encoding="utf-8")
        subprocess.run(["gcc", "-O1", "-fno-inline", f"-I{jobs.SOURCE}/include", f"-I{jobs.BUILD}/include", "-c", "-o",
                        folder / f"{name}.o", folder / f"{name}.c"], check=True)
        for symbol, hostile in (("victim", SCRIPT + RIGHT_TO_LEFT), ("victim_long", LONG)):
            subprocess.run(["objcopy", "--redefine-sym", f"{symbol}={hostile}", folder / f"{name}.o"], check=True)
    program = jobs.SCRATCH / "<b onclick=alert(1)>program"
    subprocess.run(["gcc", "-o", program, *(folder / f"{name}.o" for name in texts), f"-L{jobs.BUILD}", "-lfathom",
                    f"-Wl,-rpath,{jobs.BUILD}"], check=True)
    return program


def main():
    web.install()
    folder = jobs.SCRATCH / "served"
    folder.mkdir()
    job = jobs.run(jobs.AROUND, None, 1, [build(), SCRIPT, RIGHT_TO_LEFT, LONG],
                   env={"FATHOM_SAMPLE": "500", "FATHOM_MEMORY": SCRIPT, "USER": SCRIPT + RIGHT_TO_LEFT})
    profile = shutil.copy(job.profiles()[0], folder / "hostile.fathom")
    more = [shutil.copy(profile, folder / f"{name}.fathom") for name in ("<img src=x onerror=window.owned=1>", "again")]
    pages = {"history": jobs.SCRATCH / "history.html", "scale": jobs.SCRATCH / "scale.html"}
    web.fathom("report", folder, "--format", "html", "-o", pages["history"])
    web.fathom("scale", "--same", profile, more[0], "--format", "html", "-o", pages["scale"])
    with web.Server(folder) as server:
        page = web.page(profile)
        ids = server.ids()
        others = {"history": f"file://{pages['history']}", "comparison": f"file://{pages['scale']}",
                  "served list": f"{server.at}#/list", "served history": f"{server.at}#/history",
                  "served comparison": f"{server.at}#/scale/{ids['hostile.fathom']},{ids['again.fathom']}?mode=same"}
        sys.exit(web.run_node("hostile.mjs", page, server.enter, f"{server.at}#/profile/{ids[profile.name]}", json.dumps(others),
                              HOSTILE_NAME=SCRIPT))


os.umask(0o077)
main()
