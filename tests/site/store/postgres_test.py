#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The unit tests of the store once more, on PostgreSQL."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import postgres  # noqa: E402

BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
PROGRAMS = ["site-store-engine", "site-store-schema", "site-store-store", "site-store-retention", "site-store-jobs",
            "site-insights-insight", "site-insights-references", "site-mail-state", "site-summary-scope"]


def main():
    why = postgres.why_not()
    if why:
        print(f"1..{len(PROGRAMS)}")
        for number, name in enumerate(PROGRAMS, 1):
            print(f"ok {number} - {name} # skip {why}")
        return 0
    failed = 0
    with postgres.server() as address:
        for number, name in enumerate(PROGRAMS, 1):
            done = subprocess.run([BUILD / "tests" / name], env=os.environ | {"FATHOM_TEST_DATABASE": address},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=600)
            good = done.returncode == 0 and "\n1.." in done.stdout
            failed += not good
            print(f"{'ok' if good else 'not ok'} {number} - {name} on PostgreSQL", flush=True)
            for line in done.stdout.splitlines():
                if not good and not line.startswith("ok "):
                    print(f"# {line}")
    print(f"1..{len(PROGRAMS)}")
    return 1 if failed else 0


sys.exit(main())
