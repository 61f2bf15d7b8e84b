#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the front end in web/ and writes it as C source: make_bundle.py WEB WORK OUTPUT

WEB     the sources; a release has the built files in WEB/bundle, and then node is not needed
WORK    a directory for the built files
OUTPUT  the C source, a struct fm_bundle (src/pages/bundle.h)

Called at every build, and quick if nothing has changed. Without node or without the packages it needs, the rest of Fathom
is built all the same: the struct is empty then, and a line says what is missing. An error in the sources is an error."""
import base64
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

BUILT = ("app.js", "app.css")


class Missing(Exception):
    """The pages cannot be built here."""


def digest(web):
    """Of everything that the built files depend on."""
    total = hashlib.sha256(Path(__file__).read_bytes())
    files = [web / name for name in ("package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")]
    files += sorted(path for path in (web / "src").rglob("*") if path.is_file())
    for path in files:
        total.update(f"{path.relative_to(web)}\0".encode() + path.read_bytes())
    return total.hexdigest()


def run(command, web, environment=None):
    return subprocess.run(command, cwd=web, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")


def install_packages(web):
    """What package-lock.json lists, into web/node_modules, unless it is there."""
    stamp = web / "node_modules" / ".fathom-lock"
    lock = (web / "package-lock.json").read_bytes()
    if stamp.exists() and stamp.read_bytes() == lock:
        return
    if not shutil.which("npm"):
        raise Missing("npm was not found")
    print("web pages: fetching the packages of web/package-lock.json", flush=True)
    done = run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"], web)
    if done.returncode:
        last = [line for line in done.stdout.splitlines() if "error" in line][:1] or ["npm ci failed"]
        raise Missing(f"npm could not fetch the packages ({last[0].strip()})")
    stamp.write_bytes(lock)


def build(web, work):
    """Returns app.js and app.css."""
    ready = web / "bundle"
    if all((ready / name).exists() for name in BUILT):
        return [(ready / name).read_bytes() for name in BUILT]
    if not shutil.which("node"):
        raise Missing("node was not found")
    install_packages(web)
    for command in (["node_modules/typescript/bin/tsc", "--noEmit"], ["node_modules/vite/bin/vite.js", "build"]):
        done = run(["node", *command], web, {"FATHOM_WEB_OUT": str(work)})
        if done.returncode:
            sys.exit(f"{done.stdout}\nweb pages: the sources in {web} have errors, above")
    return [(work / name).read_bytes() for name in BUILT]


def literal(data):
    """A string literal, in pieces that every compiler accepts."""
    escapes = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("?"): "\\?"}
    text = "".join(escapes.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in data)
    pieces, at = [], 0
    while at < len(text):
        end = at + 4000
        while end < len(text) and "\\" in text[end - 4:end]:  # not within an escape
            end -= 1
        pieces.append(text[at:end])
        at = end
    return "\n".join(f'    "{piece}"' for piece in pieces) or '    ""'


def as_source(js, css):
    # In a page, these would end or hide the script.
    js = js.replace(b"</script", b"<\\/script").replace(b"<!--", b"<\\!--").strip()
    css = css.strip()
    sha = [base64.b64encode(hashlib.sha256(data).digest()).decode() for data in (js, css)]
    return (f'/* Made by tools/make_bundle.py. */\n#include "pages/bundle.h"\n\n'
            f"static const char js[] =\n{literal(js)};\nstatic const char css[] =\n{literal(css)};\n\n"
            f"const struct fm_bundle fm_bundle = {{\n    js, css, {len(js)}, {len(css)},\n"
            f'    "{sha[0]}",\n    "{sha[1]}",\n}};\n')


def main():
    web, work, output = (Path(argument).resolve() for argument in sys.argv[1:4])
    work.mkdir(parents=True, exist_ok=True)
    state = work / "digest"
    with open(web / ".lock", "w") as lock:  # several builds of one tree share node_modules
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = digest(web)
        if output.exists() and state.exists() and state.read_text() == wanted:
            return
        try:
            js, css = build(web, work)
        except Missing as reason:
            print(f"web pages: not built, because {reason}; install nodejs and npm and build again. "
                  "Everything else works without them.", flush=True)
            js, css, wanted = b"", b"", "missing"
    source = as_source(js, css)
    if not output.exists() or output.read_text() != source:
        output.write_text(source)
    state.write_text(wanted)


main()
