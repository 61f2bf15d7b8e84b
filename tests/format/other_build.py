"""Another build of Fathom: a copy of the sources with what a later version may add to segments and to profiles, built."""
import os
import pathlib
import re
import shutil
import subprocess

from old_files import jobs


def with_figure(match):
    """A line more, with the next number; 13 is none of the figures."""
    column = 1 + max(13, *map(int, re.findall(r"\n    X\( *(\d+)", match.string)))
    return f'{match[1]} \\\n    X({column}, 2, later_field, COUNT, ALWAYS, HEADER, "later", "")\n{match[2]}'


# In which file (found by its name), what (a regular expression), and what it becomes (or who says it).
ADDED = [
    # the segment: a field of the header, a column of the entries, a section, a routine
    ("segment.h", r"(struct fm_segment_header \{\n.*?\n)(\};)", r"\1    uint64_t later_field;\n\2"),
    ("segment.h", r"(struct fm_entry \{\n.*?\n)(\};)", r"\1    uint64_t later[8];\n\2"),
    ("segment.h", r"sizeof\(struct fm_entry\) == 512", "sizeof(struct fm_entry) == 576"),
    ("segment.h", r"    FM_SECTION_COUNT,\n", r"    FM_SECTION_LATER,\n    FM_SECTION_COUNT,\n"),
    ("segment_header.c", r"item_bytes\[FM_SECTION_COUNT\] = \{\n", r"\g<0>    [FM_SECTION_LATER] = {24, 24},\n"),
    ("segment_make.c", r"    at = place\(h, FM_SECTION_ROUTINES,", r"    at = place(h, FM_SECTION_LATER, at, 16, 24);\n\g<0>"),
    ("segment_make.c", r"    h->segment_bytes = bytes;\n", r"\g<0>    h->later_field = 4711;\n"),
    ("calls.table", r"\Z", r"MPIX_Of_a_later_version plain -\n"),
    # the profile: a column of the processes, and a section
    ("figures.h", r"(\n    X\([^\n]*\))\n(/\* clang-format on)", with_figure),
    ("layout.h", r"(enum fm_file_section \{\n.*?\n)(\};)", r"\1    FM_FILE_LATER = 47,\n\2"),
    ("sections.h", r"(FM_SECTIONS_END = ).*?( \};)", r"\1FM_FILE_LATER + 1\2"),
    ("sections.h", r"#undef FM_SECTION\n", r"FM_SECTION(later);\n\g<0>"),
    ("sections.c", r"\[FM_SECTIONS_END\] = \{\n", r"\g<0>    [FM_FILE_LATER] = {fm_put_later, fm_get_later},\n"),
    ("section_job.c", r"\Z", r"\nvoid fm_put_later(struct fm_column_writer *w)\n{\n    fm_put_number(w, 47);\n}\n\n"
     r"void fm_get_later(struct fm_column_reader *r)\n{\n    fm_get_count(r, 1);\n}\n"),
]
NOT_COPIED = ("build*", ".git", "old", "corpus", "__pycache__")


def patch(source):
    for name, old, new in ADDED:
        done = 0
        for file in (source / "src").rglob(name):
            text, times = re.subn(old, new, file.read_text(encoding="utf-8"), flags=re.DOTALL)
            done += times
            file.write_text(text, encoding="utf-8")
        if done != 1:
            raise LookupError(f"{old!r} is {done} times in files called {name}: this patch has to follow the sources")


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
