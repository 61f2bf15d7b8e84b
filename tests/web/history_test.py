#!/usr/bin/env python3
"""The history of a program: a run that takes longer since a certain run is found, as one file and from the server; what
the page shows is what the JSON has."""
import json
import pathlib
import shutil
import sys

import web
from web import jobs

PROGRAM = r"""
#include <fathom.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    fathom_region_begin("constant");
    usleep(200000);
    fathom_region_end("constant");
    fathom_region_begin("<b>phase</b>");
    usleep(1000u * (unsigned)atoi(argv[1]));
    fathom_region_end("<b>phase</b>");
    return argc > 2;
}
"""
BEFORE, AFTER = 5, 4
# "b" was tried between runs of "a"; since "c" it is slower; the last but one is not known
COMMITS = [40 * "a", 40 * "a", "v1.0-b", 40 * "a", 40 * "a", 40 * "c", 40 * "c", "off", 40 * "c"]


def main():
    web.install()
    folder = jobs.SCRATCH / "runs"
    folder.mkdir()
    program = jobs.compile_plain("phases", PROGRAM, f"-I{jobs.SOURCE}/include", f"-L{jobs.BUILD}", "-lfathom",
                                 f"-Wl,-rpath,{jobs.BUILD}")
    for run in range(BEFORE + AFTER):
        job = jobs.run(jobs.AROUND, None, 1, [program, "100" if run < BEFORE else "900"],
                       env={"FATHOM_COMMIT": COMMITS[run]})
        shutil.move(job.profiles()[0], folder / f"run{run}.fathom")
    (folder / "broken.fathom").write_bytes(b"not a profile")
    document = jobs.SCRATCH / "history.json"
    status = jobs.subprocess.run([jobs.FATHOM, "report", folder, "--format", "json", "-o", document], capture_output=True,
                                 check=False)
    page = jobs.SCRATCH / "history.html"
    jobs.subprocess.run([jobs.FATHOM, "report", folder, "--format", "html", "-o", page], capture_output=True, check=False)
    pathlib.Path(document).with_suffix(".status").write_text(
        json.dumps([status.returncode, status.stderr.decode()]), encoding="utf8")
    with web.Server(folder) as server:
        sys.exit(web.run_node("history.mjs", document, f"file://{page}", server.enter, f"{server.at}#/history", BEFORE))


main()
