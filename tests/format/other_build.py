"""Another build of Fathom: a copy of the sources with what a later version may add to segments and to profiles, built."""
import os
import pathlib
import shutil
import subprocess

from old_files import jobs

# In which file (found by its name), what, and what it becomes.
ADDED = [
    # the segment: a field of the header, a column of the entries, a section, a routine
    ("segment.h", "by enum fm_segment_section_id */\n", "by enum fm_segment_section_id */\n    uint64_t later_field;\n"),
    ("segment.h", "histogram_high[FM_DURATION_BINS]; /*", "histogram_high[FM_DURATION_BINS]; uint64_t later[8]; /*"),
    ("segment.h", "sizeof(struct fm_entry) == 512", "sizeof(struct fm_entry) == 576"),
    ("segment.h", "    FM_SECTION_COUNT,\n", "    FM_SECTION_LATER,\n    FM_SECTION_COUNT,\n"),
    ("segment_header.c", "    [FM_SECTION_ROUTINES] = {1, 1},\n",
     "    [FM_SECTION_ROUTINES] = {1, 1},\n    [FM_SECTION_LATER] = {24, 24},\n"),
    ("segment_make.c", "    at = place(h, FM_SECTION_ROUTINES,",
     "    at = place(h, FM_SECTION_LATER, at, 16, 24);\n    at = place(h, FM_SECTION_ROUTINES,"),
    ("segment_make.c", "    h->segment_bytes = bytes;\n", "    h->segment_bytes = bytes;\n    h->later_field = 4711;\n"),
    ("calls.table", "MPIX_Grequest_class_allocate      plain                  - - -\n",
     "MPIX_Grequest_class_allocate      plain                  - - -\nMPIX_Of_a_later_version plain -\n"),
    # the profile: a column of the processes, a section
    ("profile.h", "struct fm_process {\n", "struct fm_process {\n    uint64_t later;\n"),
    ("fields.c", "    TEXT(fm_process, inside),\n",
     "    TEXT(fm_process, inside),\n    {offsetof(struct fm_process, later), FM_FIELD_U64, FM_LARGE_EXACT, 1},\n"),
    ("from_segment.c", "        .core = header->core,\n",
     "        .core = header->core,\n        .later = header->later_field,\n"),
    ("fields.h", "    FM_FILE_SEQUENCE,\n", "    FM_FILE_SEQUENCE,\n    FM_FILE_LATER,\n"),
    ("sections.h", "FM_SECTIONS_END = FM_FILE_SEQUENCE + 1", "FM_SECTIONS_END = FM_FILE_LATER + 1"),
    ("sections.h", "FM_SECTION(sequence);\n", "FM_SECTION(sequence);\nFM_SECTION(later);\n"),
    ("sections.c", "    [FM_FILE_SEQUENCE] = {fm_put_sequence, fm_get_sequence},\n",
     "    [FM_FILE_SEQUENCE] = {fm_put_sequence, fm_get_sequence},\n    [FM_FILE_LATER] = {fm_put_later, fm_get_later},\n"),
    ("section_job.c", "void fm_put_hosts(",
     "void fm_put_later(struct fm_writer *w)\n{\n    fm_put_number(w, 47);\n}\n\n"
     "void fm_get_later(struct fm_reader *r)\n{\n    fm_get_count(r, 1);\n}\n\nvoid fm_put_hosts("),
]
NOT_COPIED = ("build*", ".git", "old", "corpus", "__pycache__")


def patch(source):
    for name, old, new in ADDED:
        found = [file for file in (source / "src").rglob(name) if old in file.read_text(encoding="utf-8")]
        if len(found) != 1:
            raise LookupError(f"{len(found)} files called {name} have {old!r}: what a later version adds has to fit today's")
        text = found[0].read_text(encoding="utf-8")
        found[0].write_text(text.replace(old, new), encoding="utf-8")


def make():
    """The folder with its `fathom` and its library."""
    source = jobs.SCRATCH / "other"
    shutil.copytree(jobs.SOURCE, source, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True)
    patch(source)
    build = source / "build"
    # it is made to be read, not to be fast
    for words in (["meson", "setup", "-Doptimization=0", "-Ddebug=false", str(build), str(source)],
                  ["ninja", "-C", str(build), "libfathom.so.0", "fathom"]):
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}:\n{done.stdout[-4000:]}\n{done.stderr[-2000:]}")
    return pathlib.Path(build)
