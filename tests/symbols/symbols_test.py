#!/usr/bin/env python3
"""Addresses get the names and lines of their source: in C, C++ and Fortran, compiled, linked and stripped in every way;
with separate debug files, without files, with other files, and with a cache that somebody has damaged. addr2line is
the judge over many addresses of whole programs."""
import lzma
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parent.parent.parent))
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", SOURCE / "build"))
sys.path.insert(0, str(SOURCE / "tests" / "jobs"))
import jobs  # noqa: E402

PROGRAMS = SOURCE / "tests" / "symbols" / "programs"
TOOL = str(BUILD / "tests" / "symbols-symbols")
SCRATCH = pathlib.Path(tempfile.mkdtemp(prefix="symbols-"))
COMPILERS = {".c": "gcc", ".cc": "g++", ".f90": "gfortran"}
MARK = re.compile(r'mark\("([^"]+)".*?(?://|/\*|!) (.*?)(?: \*/)?$')


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **options).stdout


def build(name, source, *flags, compiler=None):
    """A program or library of one source with mark.c; returns its path."""
    target = SCRATCH / name
    path = PROGRAMS / source
    run("gcc", "-O1", "-fPIC", "-c", PROGRAMS / "mark.c", "-D_GNU_SOURCE", "-o", SCRATCH / "mark.o")
    run(compiler or COMPILERS[path.suffix], *flags, "-o", target, path, SCRATCH / "mark.o", cwd=SCRATCH)
    return target


def marks(source):
    """What a source says of its marks: tag -> (line, names of frames)."""
    found = {}
    for number, line in enumerate((PROGRAMS / source).read_text(encoding="utf-8").splitlines(), 1):
        match = MARK.search(line)
        if match:
            found[match[1]] = (number, match[2].split(" < "))
    return found


def addresses(program):
    """What a program says of its marks: tag -> address."""
    return {line.rsplit(" ", 2)[0]: int(line.rsplit(" ", 1)[1], 16) for line in run(program).splitlines()}


def build_id(path):
    match = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", path))
    return match[1] if match else ""


def ask(module, places, wanted_id="", debug_path="", cache="", threads=2, kind="ra"):
    """Frames of places in a module, innermost first: [(function, path, line, defined path, defined line, inlined)];
    and what is said on stderr."""
    text = "".join(f"{kind} {place:#x}\n" for place in places)
    done = subprocess.run([TOOL, str(module), wanted_id, str(debug_path), str(cache), str(threads)], input=text,
                          capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{TOOL} ended with {done.returncode}: {done.stderr}")
    answers = []
    for block in done.stdout.split("\n\n")[:-1]:
        frames = []
        for line in block.splitlines():
            function, where, defined, inlined = line.split("\t")
            frames.append((function, *split(where), *split(defined), inlined == "1"))
        answers.append(frames)
    return answers, done.stderr


def split(where):
    path, line = where.rsplit(":", 1)
    return path, int(line)


def same_name(got, wanted):
    return re.fullmatch(".*".join(map(re.escape, wanted.split("*"))), got) is not None


def check_marks(tap, title, source, program, chains=True, lines=True, **options):
    """Each mark has its names and its line."""
    told, wanted = addresses(program), marks(source)
    answers, said = ask(program, told.values(), build_id(program), **options)
    wrong = [said] if said else []
    for tag, frames in zip(told, answers):
        line, names = wanted[tag]
        names = names if chains else names[:1]
        good = all(map(same_name, [frame[0] for frame in frames], names)) and (len(frames) == len(names) or not chains)
        if lines:
            good &= frames[0][1:3] == (str(PROGRAMS / source), line)
            good &= [frame[5] for frame in frames] == [True] * (len(frames) - 1) + [False]
        if not good:
            wrong.append(f"{tag}: {frames}, not {names} at line {line}")
    tap.ok(not wrong and len(told) == len(wanted), f"{title}: {len(wanted)} places have their names"
           f"{' and lines' if lines else ''}", *wrong, set(wanted) - set(told))


# ---- compilers, options, ways of linking ----

def check_languages(tap):
    pie, fixed = ("-pie", "-fPIE"), ("-no-pie", "-fno-PIE")
    for source in ("plain.c", "classes.cc", "modules.f90"):
        chains = source != "modules.f90"
        check_marks(tap, f"{source}, -O2, PIE", source, build("o2", source, "-O2", "-g", *pie), chains)
        check_marks(tap, f"{source}, -O2, no PIE", source, build("fixed", source, "-O2", "-g", *fixed), chains)
        check_marks(tap, f"{source}, -O0", source, build("o0", source, "-O0", "-g"), chains)
    for flags in (["-gdwarf-4"], ["-gdwarf-3"], ["-g", "-gz"], ["-g", "-gsplit-dwarf"], ["-g", "-fdebug-types-section"]):
        program = build("flags", "classes.cc", "-O2", *flags)
        check_marks(tap, f"classes.cc, {' '.join(flags)}", "classes.cc", program)
    check_marks(tap, "classes.cc, link-time optimisation", "classes.cc",
                build("lto", "classes.cc", "-O2", "-g", "-flto"), chains=False)
    if shutil.which("clang"):
        program = build("clang", "plain.c", "-O2", "-g", compiler="clang")
        check_marks(tap, "plain.c, clang (no .debug_aranges)", "plain.c", program)
    else:
        tap.skip("plain.c, clang", "there is no clang")


def check_library(tap):
    main = SCRATCH / "calls.c"
    main.write_text("void outer(int n); int main(void) { outer(1); return 0; }\n", encoding="utf-8")
    for title, flags in (("shared library", []), ("shared library with a base", ["-Wl,-Ttext-segment=0x4000000"])):
        library = build("liblib.so", "plain.c", "-O2", "-g", "-shared", "-fPIC", *flags)
        run("gcc", "-o", SCRATCH / "calls", main, library, "-Wl,-rpath," + str(SCRATCH))
        lines = [line.rsplit(" ", 2) for line in run(SCRATCH / "calls").splitlines()]
        answers, _ = ask(library, [int(line[2], 16) for line in lines], build_id(library))
        got = [(line[0], frames[0][0], frames[0][2], len(frames)) for line, frames in zip(lines, answers)]
        wanted = [(tag, marks("plain.c")[tag][1][0], marks("plain.c")[tag][0], len(marks("plain.c")[tag][1]))
                  for tag in ("plain", "twice inlined")]
        tap.equal(got, wanted, f"{title}: names and lines")


def check_definitions(tap):
    program = build("defined", "plain.c", "-O2", "-g")
    answers, _ = ask(program, [addresses(program)["twice inlined"]])
    wanted = [(name, number) for name, number in (("innermost", 8), ("between", 14), ("outer", 21))]
    tap.equal([(f[0], f[4]) for f in answers[0]], wanted, "the lines at which functions begin")
    tap.equal([f[2] for f in answers[0]], [10, 17, 24], "and those of the calls between them")


# ---- stripped programs and separate debug files ----

def debug_file(program, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    run("objcopy", "--only-keep-debug", program, target)


def check_stripped(tap):
    program = build("symtab", "plain.c", "-O2")
    answers, _ = ask(program, addresses(program).values(), build_id(program))
    tap.equal([[f[0] for f in frames] for frames in answers], [["outer"], ["outer"], ["main"], ["last_call"]],
              "without -g the symbol table has the functions")
    tap.equal({f[2] for frames in answers for f in frames}, {0}, "and no lines")
    program = build("fortran", "modules.f90", "-O0")
    told = addresses(program)
    answers, _ = ask(program, told.values())
    got = {tag: frames[0][0] for tag, frames in zip(told, answers)}
    tap.equal([got[tag] for tag in ("module procedure", "external", "internal procedure", "main program")],
              ["ocean::step", "outside", "helper", "MAIN__"], "Fortran without -g")
    program = build("bare", "plain.c", "-O2", "-s")
    told = addresses(program)
    answers, said = ask(program, told.values(), build_id(program))
    tap.equal([[f[0] for f in frames] for frames in answers],
              [[f"[bare+{start:#x}]"] for start in starts(build("named", "plain.c", "-O2"), told.values())],
              "stripped of all: module and where the function begins")
    tap.equal(said, "", "in silence: the file is there and right")
    program = build("exports", "plain.c", "-O2", "-s", "-rdynamic")
    answers, _ = ask(program, [addresses(program)["plain"], addresses(program)["before the end"]])
    tap.equal(answers[0][0][0], "outer", "stripped, with a dynamic symbol")
    tap.ok(answers[1][0][0].startswith("[exports+0x"), "what is behind its end is not taken for it", answers[1])


def starts(program, places):
    """Where the functions that hold these places begin, by nm."""
    lines = run("nm", "--defined-only", program).splitlines()
    functions = sorted(int(line.split()[0], 16) for line in lines if line.split()[1] in "tT" and "$" not in line)
    return [max(start for start in functions if start <= place) for place in places]


def check_separate(tap):
    original = build("separate", "classes.cc", "-O2", "-g")
    identity = build_id(original)
    whole = SCRATCH / "whole.debug"
    debug_file(original, whole)
    run("strip", original)
    told = addresses(original)
    answers, said = ask(original, told.values(), identity)
    tap.ok(said == "" and all(f[0][0].startswith("[separate+0x") for f in answers), "without its debug file no names")
    copy, names = SCRATCH / "copy", SCRATCH / "names"
    shutil.copy(original, copy)
    for module, word in ((original, "[separate+0x"), (copy, "[copy+0x"), (original, "[separate+0x")):
        answers, _ = ask(module, told.values(), identity, cache=names)
        tap.ok(all(f[0][0].startswith(word) for f in answers),
               f"functions without a symbol are named after {module.name}, also from the cache of another name", answers)
    store = SCRATCH / "store"
    place = store / ".build-id" / identity[:2] / (identity[2:] + ".debug")
    place.parent.mkdir(parents=True)
    shutil.copy(whole, place)
    check_marks(tap, "debug file by its build id", "classes.cc", original, debug_path=f"/nowhere:{store}")
    moved = SCRATCH / "gone" / "separate"
    answers, said = ask(moved, told.values(), identity, debug_path=store)
    tap.ok(said == "" and answers[0][0][2] == marks("classes.cc")["constructor"][0],
           "the debug file alone is enough where the program is gone", said)
    shutil.rmtree(store)
    run("objcopy", f"--add-gnu-debuglink={whole}", original)
    check_marks(tap, "debug file by its link, beside the program", "classes.cc", original)
    for where, options in ((SCRATCH / ".debug", {}), (SCRATCH / "flat", {"debug_path": SCRATCH / "flat"})):
        where.mkdir()
        whole = whole.rename(where / "whole.debug")
        check_marks(tap, f"debug file by its link, in {where.name}", "classes.cc", original, **options)
    debug_file(build("other", "classes.cc", "-O1", "-g"), whole)
    answers, _ = ask(original, told.values(), identity, debug_path=whole.parent)
    tap.ok(all(f[0][0].startswith("[separate+0x") for f in answers), "the debug file of another program is not taken")
    anonymous = build("anonymous", "plain.c", "-O2", "-g", "-Wl,--build-id=none")
    debug_file(anonymous, SCRATCH / "anonymous.debug")
    run("strip", anonymous)
    run("objcopy", f"--add-gnu-debuglink={SCRATCH}/anonymous.debug", anonymous)
    check_marks(tap, "debug file by its link, without build ids", "plain.c", anonymous)


def check_shared_debug(tap):
    """Two debug files that share what they have in common, as Debian's do."""
    if not shutil.which("dwz"):
        tap.skip("shared debug information", "there is no dwz")
        return
    store = SCRATCH / "dwz"
    programs = [build(f"dwz{number}", "classes.cc", "-g", f"-O{number}") for number in (1, 2)]
    files = []
    for program in programs:
        name = build_id(program)
        files.append(store / ".build-id" / name[:2] / (name[2:] + ".debug"))
        debug_file(program, files[-1])
        run("strip", program)
    run("dwz", "-m", SCRATCH / "common.debug", *files)
    check_marks(tap, "debug files that share a third", "classes.cc", programs[1], debug_path=store)


def check_mini(tap):
    """Symbols compressed into .gnu_debugdata, as Fedora's programs have them."""
    program = build("mini", "plain.c", "-O2")
    small = SCRATCH / "mini.small"
    run("objcopy", "--strip-debug", "--remove-section", ".comment", "--only-keep-debug", program, small)
    packed = SCRATCH / "mini.xz"
    packed.write_bytes(lzma.compress(small.read_bytes()))
    run("strip", program)
    run("objcopy", "--add-section", f".gnu_debugdata={packed}", program)
    answers, _ = ask(program, addresses(program).values())
    tap.equal([frames[-1][0] for frames in answers], ["outer", "outer", "main", "last_call"], "mini debug information")


# ---- files that are missing or others ----

def check_missing(tap):
    program = build("changed", "plain.c", "-O2", "-g")
    told, identity = addresses(program), build_id(program)
    os.rename(program, SCRATCH / "kept")
    answers, said = ask(program, told.values(), identity)
    names = [[f"changed+{place:#x}"] for place in told.values()]
    tap.equal([[f[0] for f in frames] for frames in answers], names, "a missing file: module + offset")
    tap.ok(len(said.splitlines()) == 1 and str(program) in said and "No such file" in said, "said once", said)
    build("changed", "plain.c", "-O1", "-g")
    answers, said = ask(program, told.values(), identity)
    tap.equal([[f[0] for f in frames] for frames in answers], names, "another file: module + offset")
    tap.ok(len(said.splitlines()) == 1 and str(program) in said and identity[:12] in said, "said once", said)
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    answers, said = ask(program, told.values(), identity)
    tap.ok(len(said.splitlines()) == 1 and str(program) in said and answers[0][0][0] == names[0][0], "no program", said)
    for size in (100, 1000, 9000):
        program.write_bytes((SCRATCH / "kept").read_bytes()[:size])
        answers, said = ask(program, told.values())
        tap.equal(len(answers), len(told), f"a file cut after {size} bytes does no harm")
    answers, said = ask("linux-vdso.so.1", [0x400])
    tap.equal((answers[0][0][0], said), ("linux-vdso.so.1+0x400", ""), "the kernel's code is no file, in silence")


# ---- the cache ----

def check_cache(tap):
    program, cache = build("cached", "classes.cc", "-O2", "-g"), SCRATCH / "cache"
    told, identity = addresses(program), build_id(program)
    first, _ = ask(program, list(told.values())[:3], identity, cache=cache)
    kept = cache / "symbols" / identity
    whole, _ = ask(program, told.values(), identity)
    tap.equal(ask(program, told.values(), identity, cache=cache)[0], whole, "what is in the cache and what is not")
    tap.ok(kept.is_file() and kept.stat().st_mode & 0o77 == 0, "the cache is the user's own")
    tap.equal(first, whole[:3], "it was right when it was made")
    sound = kept.read_bytes()
    # with the right checksum, so that it is believed: the cache is used
    other = sound.replace(b"ocean::recover", b"ocean::rescues")
    kept.write_bytes(other[:17] + crc64(other[25:]).to_bytes(8, "little") + other[25:])
    names = {f[0] for frames in ask(program, told.values(), identity, cache=cache)[0] for f in frames}
    tap.ok("ocean::rescues" in names and "ocean::recover" not in names, "the second time the cache answers", names)
    os.utime(program)
    tap.equal(ask(program, told.values(), identity, cache=cache)[0], whole, "a program that was touched is read anew")
    sound = kept.read_bytes()
    chance = random.Random(1)
    wrong = []
    for number in range(60):
        damaged = bytearray(sound)
        if number % 3 == 0:
            damaged = damaged[:chance.randrange(len(damaged))]
        else:
            for _ in range(chance.randrange(1, 5)):
                damaged[chance.randrange(25, len(damaged))] = chance.randrange(256)
        if number % 3 == 1 and len(damaged) > 25:  # hostile: the checksum is right
            damaged[17:25] = crc64(damaged[25:]).to_bytes(8, "little")
        kept.write_bytes(damaged)
        try:
            answers, said = ask(program, told.values(), identity, cache=cache)
        except ValueError:  # names with tabs and line ends in them
            continue
        if said or (number % 3 != 1 and answers != whole):
            wrong.append((number, said, answers))
    tap.ok(not wrong, "60 damaged caches do no harm", *wrong)
    for name, prepare in (("a directory in its place", lambda: (kept.unlink(), kept.mkdir())),
                          ("a file for a directory", lambda: (shutil.rmtree(cache), cache.write_text("x")))):
        prepare()
        tap.equal(ask(program, told.values(), identity, cache=cache), (whole, ""), f"{name}: no harm")
    cache.unlink()
    (cache / "symbols").mkdir(parents=True)
    for number in range(300):
        path = cache / "symbols" / f"old{number}"
        path.write_bytes(b"x")
        os.utime(path, (number, number))
    ask(program, told.values(), identity, cache=cache)
    names = {path.name for path in (cache / "symbols").iterdir()}
    tap.equal(names, {identity} | {f"old{n}" for n in range(45, 300)}, "of too many files the oldest go")
    os.truncate(cache / "symbols" / "old298", 300 << 20)
    os.utime(cache / "symbols" / "old298", (298, 298))
    kept.unlink()
    ask(program, told.values(), identity, cache=cache)
    names = {path.name for path in (cache / "symbols").iterdir()}
    tap.equal(names, {identity, "old299"}, "of too many bytes too")


def crc64(data):
    table = []
    for number in range(256):
        for _ in range(8):
            number = number >> 1 ^ (0xC96C5795D7870F42 if number & 1 else 0)
        table.append(number)
    crc = 2**64 - 1
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 2**64 - 1


# ---- whole programs, with addr2line as the judge ----

def functions(path, dynamic=False):
    """The functions with a size: (start, end, name)."""
    lines = run("nm", "-S", "--defined-only", *(["-D"] if dynamic else []), path).splitlines()
    words = [line.split() for line in lines]
    return [(int(w[0], 16), int(w[0], 16) + int(w[1], 16), w[3].split("@")[0]) for w in words
            if len(w) == 4 and w[2] in "tTwWi"]


def judge(path, places):
    """Frames by addr2line: [(function, path, line)], innermost first."""
    text = run("addr2line", "-afi", "-e", path, input="".join(f"{place:#x}\n" for place in places))
    text = run("c++filt", "-p", input=text)
    answers = []
    lines = iter(text.splitlines())
    for line in lines:
        if re.fullmatch(r"0x[0-9a-f]{16}", line):
            answers.append([])
            continue
        where = re.sub(r" \(discriminator \d+\)", "", next(lines)).replace(":?", ":0")
        answers[-1].append((line, *split(where)))
    return answers


def check_judged(tap):
    """Only places in functions that have debug information; addr2line also names what lies between functions."""
    path = BUILD / "fathom"
    chance = random.Random(7)
    code = [f for f in functions(path) if f[2].startswith(("fm_", "main", "write_", "read_", "print_", "put_", "get_"))]
    places = sorted({chance.choice(range(start, end, 4)) for start, end, _ in chance.choices(code, k=600)})
    judged = {place: frames for place, frames in zip(places, judge(path, places)) if frames[0][1].startswith("/")}
    places, wanted = list(judged), list(judged.values())
    answers, said = ask(path, places, build_id(path), kind="pc")
    wrong = [f"{place:#x}: {got}, not {want}" for place, got, want in zip(places, answers, wanted)
             if [(f[0], f[1], f[2]) for f in got] != [(n, p.replace("/./", "/"), l) for n, p, l in want]]
    tap.ok(not wrong and not said and len(places) > 300,
           f"{len(places)} places in fathom are what addr2line says, {sum(len(w) > 1 for w in wanted)} of them inlined",
           said, *wrong[:5])
    alone, _ = ask(path, places, build_id(path), kind="pc", threads=1)
    tap.ok(alone == answers, "one thread finds what several find")


def check_lammps(tap):
    """A large program of Debian: symbols alone."""
    library = next(iter(pathlib.Path("/usr/lib").rglob("liblammps.so*")), None)
    if not library:
        tap.skip("LAMMPS", "there is no liblammps")
        return
    chance = random.Random(3)
    code = functions(library, dynamic=True)
    chosen = chance.sample(code, 500)
    names = {}
    for start, _, name in code:
        names.setdefault(start, set()).add(name)
    plain = run("c++filt", "-p", input="\n".join(name for chosen_ in chosen for name in sorted(names[chosen_[0]])))
    readable = iter(plain.splitlines())
    wanted = [{next(readable) for _ in names[start]} for start, _, _ in chosen]
    answers, said = ask(library, [chance.choice(range(start, end, 4)) for start, end, _ in chosen], kind="pc")
    wrong = [f"{frames}, not {want}" for frames, want in zip(answers, wanted)
             if not {frames[0][0], frames[0][0] + "_"} & want]
    tap.ok(not wrong and not said, "500 places in LAMMPS have the names of its symbols", said, *wrong[:5])


def main():
    tap = jobs.Tap()
    for check in (check_languages, check_library, check_definitions, check_stripped, check_separate,
                  check_shared_debug, check_mini, check_missing, check_cache, check_judged, check_lammps):
        check(tap)
    shutil.rmtree(SCRATCH, ignore_errors=True)
    tap.done()


main()
