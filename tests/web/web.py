"""For tests of pages: the packages that drive a browser, profiles of real programs, and their pages."""
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "jobs"))
import jobs  # noqa: E402

PACKAGES = jobs.BUILD / "web-tests"
LIMIT_S = 540


def install():
    """The packages of package-lock.json into the build, once; the units of the pages as a module for node."""
    PACKAGES.mkdir(exist_ok=True)
    with open(PACKAGES / "lock", "w", encoding="utf8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = (HERE / "package-lock.json").read_bytes()
        stamp = PACKAGES / "installed"
        if not stamp.exists() or stamp.read_bytes() != wanted:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, PACKAGES / name)
            subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--no-update-notifier"], cwd=PACKAGES, check=True,
                           capture_output=True, timeout=300)
            stamp.write_bytes(wanted)
        compiler = jobs.SOURCE / "web/node_modules/typescript/bin/tsc"
        subprocess.run(["node", compiler, jobs.SOURCE / "web/src/text/units.ts", "--outDir", PACKAGES, "--target", "es2022",
                        "--module", "esnext"], check=True)


def environment():
    return {**os.environ, "FATHOM_WEB_TESTS": str(PACKAGES), "FATHOM_WEB_UNITS": str(PACKAGES / "units.js")}


def run_node(script, *arguments, **more):
    """The script prints TAP itself. Returns its status."""
    return subprocess.run(["node", str(HERE / script), *map(str, arguments)], env={**environment(), **more}, check=False,
                          timeout=LIMIT_S).returncode


def fathom(*arguments):
    return subprocess.run([jobs.FATHOM, *map(str, arguments)], capture_output=True, timeout=120, check=True).stdout


def page(profile, *options):
    """The report in one file. Returns its address."""
    html = profile.with_suffix(".html")
    fathom("report", profile, "--format", "html", "-o", html, *options)
    return f"file://{html}"


def document(profile, *options):
    path = profile.with_suffix(".json")
    path.write_bytes(fathom("report", profile, "--format", "json", *options))
    return path


def plan(path, profiles):
    """What check_views.mjs reads, for profiles as {name: profile}."""
    path.write_text(json.dumps([{"name": name, "address": page(profile), "json": str(document(profile))}
                                for name, profile in profiles.items()]), encoding="utf8")
    return path
