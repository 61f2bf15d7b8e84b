#!/usr/bin/python3
"""The commit that a program was built from: what was said, else what a system that builds says, else what git has checked
out where the program is. Repositories are made by git itself, and by hand where git would not make them."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "jobs"))
import jobs  # noqa: E402

WORK = jobs.SCRATCH / "commits"
ID, OTHER = "3f2a91c7d0e4b5a6978812f30c4d5e6f70819a2b", "88" * 20
GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "HOME": str(WORK),
       **{f"GIT_{who}_{what}": "ada@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}
BUILDERS = ("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "BUILDKITE_COMMIT", "CIRCLE_SHA1", "BUILD_SOURCEVERSION",
            "BITBUCKET_COMMIT", "TRAVIS_COMMIT", "DRONE_COMMIT_SHA", "SEMAPHORE_GIT_SHA", "APPVEYOR_REPO_COMMIT",
            "CIRRUS_CHANGE_IN_REPO", "BUILD_VCS_NUMBER", "CODEBUILD_RESOLVED_SOURCE_VERSION")

tap = jobs.Tap()


def git(folder, *words):
    return subprocess.run(["git", "-C", folder, *words], env={**os.environ, **GIT}, check=True, capture_output=True,
                          text=True).stdout.strip()


def measure(folder, *options, program="./program", **env):
    """Runs a program in a folder. Returns what `fathom run` printed, and the report as JSON or None."""
    clean = {k: v for k, v in os.environ.items() if k not in BUILDERS and not k.startswith("FATHOM_")}
    for old in WORK.glob("*.fathom"):
        old.unlink()
    segments = WORK / "segments"
    done = subprocess.run([jobs.FATHOM, "run", "-o", WORK / "run.fathom", *options, program], cwd=folder,
                          env={**clean, "FATHOM_DIR": str(segments), **env}, capture_output=True, text=True, timeout=60,
                          check=False)
    shutil.rmtree(segments, ignore_errors=True)
    if not (WORK / "run.fathom").exists():
        return done, None
    report = subprocess.run([jobs.FATHOM, "report", WORK / "run.fathom", "--format", "json"], check=True,
                            stdout=subprocess.PIPE).stdout
    return done, json.loads(report)


def commit(folder, *options, **more):
    return measure(folder, *options, **more)[1]["job"]["commit"]


def program_in(folder):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(PROGRAM, folder / "program")
    return folder


def by_hand(name, head, files=()):
    """A folder with a program and a repository of these files."""
    folder = program_in(WORK / name)
    (folder / ".git").mkdir()
    for path, text in {"HEAD": head, **dict(files)}.items():
        file = folder / ".git" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf8")
    return folder


def check_given():
    plain = program_in(WORK / "plain")
    tap.equal(commit(plain), None, "without a repository the commit is unknown")
    tap.equal(commit(plain, "--commit", ID), ID, "--commit")
    tap.equal(commit(plain, "--commit", "v2.1.0", FATHOM_COMMIT=ID, GITHUB_SHA=OTHER), "v2.1.0", "before all variables")
    tap.equal(commit(plain, FATHOM_COMMIT=ID, GITHUB_SHA=OTHER), ID, "FATHOM_COMMIT")
    tap.equal([commit(plain, **{name: OTHER}) for name in BUILDERS], [OTHER] * len(BUILDERS),
              "what systems for continuous integration say")
    secret = "glpat-Abcdefghij0123456789"
    done, report = measure(plain, FATHOM_COMMIT=secret)
    tap.equal((report["job"]["commit"], secret in json.dumps(report), secret in done.stdout + done.stderr),
              (None, False, False), "what is no commit is neither recorded nor repeated")
    tap.ok("FATHOM_COMMIT must be" in done.stderr, "but said", done.stderr)
    tap.equal(commit(plain, GITHUB_SHA=secret), None, "nor is it taken from the variables of other systems")
    done, report = measure(plain, "--commit", secret)
    tap.equal((done.returncode, report, secret in done.stderr), (2, None, False), "as an option it is an error")
    for way in jobs.WAYS:
        job = jobs.run(way, MPI, 2, [PARALLEL], env={"FATHOM_COMMIT": ID})
        tap.equal(job.report()["job"]["commit"], ID, f"{way}: FATHOM_COMMIT")


def check_git():
    repository = program_in(WORK / "repository/build/bin").parents[1]
    git(repository, "init", "-q", "-b", "main")
    git(repository, "commit", "-q", "--allow-empty", "-m", "first")
    first = git(repository, "rev-parse", "HEAD")
    inside = repository / "build/bin"
    tap.equal(commit(inside), first, "a program inside a repository")
    tap.equal(commit(WORK, program=str(inside / "program")), first, "started from elsewhere")
    tap.equal(commit(repository, program=str(WORK / "plain/program")), first, "a program from elsewhere, started inside")
    tap.equal(commit(inside, "--commit", "off"), None, "off")
    git(repository, "pack-refs", "--all")
    tap.equal(commit(inside), first, "a packed reference")
    git(repository, "commit", "-q", "--allow-empty", "-m", "second")
    second = git(repository, "rev-parse", "HEAD")
    tap.equal((commit(inside), second != first), (second, True), "the file of a reference, not the packed older one")
    git(repository, "checkout", "-q", first)
    tap.equal(commit(inside), first, "no branch")
    tree = WORK / "tree"
    git(repository, "worktree", "add", "-q", "-b", "topic/deep", tree, second)
    tap.equal(commit(program_in(tree / "bin")), second, "another work tree")
    git(repository, "pack-refs", "--all")
    tap.equal(commit(tree / "bin"), second, "and its packed reference")
    text = subprocess.run([jobs.FATHOM, "report", WORK / "run.fathom"], check=True, stdout=subprocess.PIPE, text=True).stdout
    tap.ok(f"commit    {second}\n" in text, "the report names it", text)
    listed = json.loads(subprocess.run([jobs.FATHOM, "list", WORK, "--format", "json"], check=True, stdout=subprocess.PIPE).stdout)
    tap.ok(second in [one["commit"] for one in listed["profiles"]], "and so does the list", listed)
    parallel = shutil.copy(PARALLEL, inside)
    for way in (jobs.AROUND, jobs.INSIDE):
        tap.equal(jobs.run(way, MPI, 2, [parallel]).report()["job"]["commit"], first, f"{way}: the repository of the program")
    tap.equal(jobs.run(jobs.PRELOAD, MPI, 2, [parallel]).report()["job"]["commit"], None,
              f"{jobs.PRELOAD}: the library reads no repository")


def check_hostile():
    main = "ref: refs/heads/main\n"
    packed = f"# pack-refs with: peeled fully-peeled sorted \n{OTHER} refs/heads/mainly\n^{OTHER}\n{'x' * 5000} refs/heads/main\n"
    cases = {
        "by hand": (by_hand("hand", main, [("refs/heads/main", ID + "\n")]), ID),
        "lines of packed-refs that are too long": (
            by_hand("long", main, [("packed-refs", packed + f"{ID} refs/heads/main\n")]), ID),
        "no such reference": (by_hand("none", main, [("packed-refs", packed)]), None),
        "references in a circle": (by_hand("circle", main, [("refs/heads/main", main)]), None),
        "a name that leads outside": (by_hand("outside", "ref: refs/../../secret\n"), None),
        "a name that is a path": (by_hand("path", "ref: /etc/hostname\n"), None),
        "what is not hexadecimal": (by_hand("words", "hunter2hunter2hunter2hunter2hunter2hunter2\n"), None),
        "an empty file": (by_hand("empty", ""), None),
        "a long file": (by_hand("large", ID + "\n" + "x" * 100_000), None),
        "another way of keeping references": (by_hand("reftable", "ref: refs/heads/.invalid\n"), None),
    }
    (WORK / "secret").write_text(ID, encoding="utf8")
    link = by_hand("link", main)
    (link / ".git/refs/heads").mkdir(parents=True)
    (link / ".git/refs/heads/main").symlink_to(WORK / "secret")
    links = by_hand("links", main)
    (WORK / "heads/heads").mkdir(parents=True)
    (WORK / "heads/heads/main").write_text(ID, encoding="utf8")
    (links / ".git/refs").symlink_to(WORK / "heads")
    pipe = by_hand("pipe", main)
    (pipe / ".git/HEAD").unlink()
    os.mkfifo(pipe / ".git/HEAD")
    hole = by_hand("hole", main)
    with open(hole / ".git/packed-refs", "wb") as file:
        file.seek(65 << 20)  # nothing but NULs, and behind the limit what is looked for
        file.write(f"\n#\n{ID} refs/heads/main\n".encode())
    circle = program_in(WORK / "gitdirs")
    (circle / ".git").write_text("gitdir: .\n", encoding="utf8")
    elsewhere = program_in(WORK / "elsewhere")
    (elsewhere / ".git").write_text(f"gitdir: {'../' * 2000}etc\n", encoding="utf8")
    cases |= {"a link in place of a file": (link, None), "a link in place of a folder": (links, None),
              "a pipe in place of a file": (pipe, None), "a file that names its own folder": (circle, None),
              "a name that is too long": (elsewhere, None), "a large file of NULs": (hole, None)}
    for name, (folder, expected) in cases.items():
        tap.equal(commit(folder), expected, f"git: {name}")
    if os.geteuid() != 0:
        tap.skip("a repository of somebody else", "needs root to make one")
        return
    foreign = by_hand("foreign", ID)
    own = program_in(foreign / "own")
    os.chown(foreign / ".git", 54321, 54321)
    tap.equal(commit(own), None, "git: a repository that belongs to somebody else")
    os.chown(own / "program", 54321, 54321)
    tap.equal(commit(own), ID, "git: unless the program is theirs, too")


WORK.mkdir()
MPI = jobs.MPIS[0]
PARALLEL = MPI.compile("parallel", "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Finalize(); return 0; }")
PROGRAM = jobs.compile_plain("program", "int main(void) { return 0; }")
check_given()
check_git()
check_hostile()
tap.done()
