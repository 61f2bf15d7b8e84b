"""What is kept in tests/format/old/VERSION: profiles (NAME.fathom), directories of segments (NAME.segments.tar.xz), and
what must be read from each (NAME.json.xz)."""
import json
import lzma
import pathlib
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "jobs"))
import jobs  # noqa: E402

OLD = HERE / "old"
SEGMENTS = ".segments.tar.xz"


def leave_out_places(value):
    """Where a source line is known: whoever reads the profile later may have no debug information."""
    if isinstance(value, dict):
        for key in ("function", "file", "line", "path", "inlined_into"):
            value.pop(key, None)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        leave_out_places(part)


def facts(profile):
    """What a report says, without what depends on files that are elsewhere today: names of functions."""
    done = subprocess.run([jobs.FATHOM, "report", "--histogram", "--format", "json", str(profile)], capture_output=True,
                          check=False)
    if done.returncode != 0:
        return {"error": done.stderr.decode("utf-8", "replace")}
    report = json.loads(done.stdout)
    leave_out_places(report)
    calls = report["calls"] or {}
    report["calls"] = {key: calls.get(key) for key in ("hz", "samples", "lost", "time_s", "folded_s")}
    sequence = report["sequence"] or {}
    report["sequence"] = {key: sequence.get(key) for key in ("start_s", "moment_s", "moments", "rank_step")}
    del report["modules"]
    return report


def collected(archive, place):
    """The profiles that `fathom collect` makes of the segments in an archive."""
    segments = place / "segments"
    segments.mkdir(parents=True)
    segments.chmod(0o700)  # else it would not be used
    with tarfile.open(archive) as tar:
        tar.extractall(segments)
    job = jobs.Job(place, segments)
    done = job.collect("--force", "-o", str(place))
    return done, [pathlib.Path(p) for p in job.profiles()]


def kept(name):
    return json.loads(lzma.decompress(name.read_bytes()))


def keep(name, content):
    name.write_bytes(lzma.compress(json.dumps(content, indent=1, sort_keys=True).encode()))
