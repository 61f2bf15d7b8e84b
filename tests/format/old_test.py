#!/usr/bin/env python3
"""Profiles and segments of every version before this one: all of them are read, and say what they said then."""
import old_files
from old_files import jobs


WORDING = ("text", "what")  # sentences for people, which may be reworded
RESERVED = ("counters", "io")  # documented as an empty list until there was something to put there
CORRECTED = (".first_half.", ".second_half.")  # 0.1.0 estimated times of halves that did not fit their numbers of events
CONCLUSIONS = ".findings"  # from the same figures, by rules that may be added and changed


def differences(then, now, path=""):
    """Where what was known then is not so now; what is new is no difference."""
    if path.rpartition(".")[2] in WORDING and isinstance(now, str) and now:
        return
    if path.rpartition(".")[2] in RESERVED and then == [] and isinstance(now, dict):
        return
    if any(part in path for part in CORRECTED) and isinstance(now, (int, float)):
        return
    if path.endswith(CONCLUSIONS) and isinstance(now, list):
        return
    if isinstance(then, dict) and isinstance(now, dict):
        for key, value in then.items():
            yield from differences(value, now.get(key, "(missing)"), f"{path}.{key}")
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for i, (a, b) in enumerate(zip(then, now)):
            yield from differences(a, b, f"{path}[{i}]")
    elif then != now:
        yield f"{path}: was {then}, is {now}"


def main():
    tap = jobs.Tap()
    versions = sorted(p for p in old_files.OLD.iterdir() if p.is_dir())
    tap.ok(versions, "there are old files")
    for version in versions:
        for expected in sorted(version.glob("*.json.xz")):
            name = expected.name.removesuffix(".json.xz")
            then, title = old_files.kept(expected), f"{version.name}, {name}"
            archive = version / f"{name}{old_files.SEGMENTS}"
            if archive.exists():
                place = jobs.SCRATCH / version.name / name
                done, profiles = old_files.collected(archive, place)
                tap.ok(done.returncode == 0 and not list((place / "segments").glob("*.segment")),
                       f"{title}: collected", done)
                now = [old_files.facts(p) for p in profiles]
            else:
                now = old_files.facts(version / f"{name}.fathom")
                split = now["split"]
                tap.ok(split["no_cpu_s"] is None and now["memory"]["growth_bytes"] is None and
                       abs(split["program_s"] + split["mpi_s"] - split["wall_s"]) < 1e-8 and
                       all(host["least_free_bytes"] is None for host in now["memory"]["hosts"]),
                       f"{title}: what was not measured then is unknown", split, now["memory"])
            found = list(differences(then, now))
            tap.ok(not found, f"{title}: says what it said", *found[:20])
    tap.done()


main()
