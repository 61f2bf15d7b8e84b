#!/usr/bin/env python3
"""Checks calls.table against the MPI libraries and their headers.

A wrong word in the table is a wrong number in every report, and most arguments
are ints that a compiler cannot tell apart. So every word is held against the
type and the name of its argument in the prototypes of both MPIs.

    calls_table_test.py [--table calls.table] [--exceptions exceptions.table]
        [--libs libmpi.so libmpich.so --headers mpi.h mpi.h] [--wrapped libfathom.so]

Prints TAP. Without options it takes our own tables, the installed Open MPI and MPICH, and the library built.
"""

import argparse
import os
import re
import subprocess
import sys

SOURCE = os.environ.get("FATHOM_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
WRAPPED = os.path.join(os.environ["FATHOM_BUILD"], "libfathom.so.0") if "FATHOM_BUILD" in os.environ else None

# Word: its C type, and the names its argument may have in a prototype.
WORDS = {
    "count": ("COUNT", "count incount outcount origin_count result_count"),
    "scount": ("COUNT", "sendcount"),
    "rcount": ("COUNT", "recvcount"),
    "scounts": ("COUNT*", "sendcounts"),
    "rcounts": ("COUNT*", "recvcounts"),
    "partitions": ("COUNT", "partitions"),
    "type": ("MPI_Datatype", "datatype type origin_datatype result_datatype"),
    "stype": ("MPI_Datatype", "sendtype"),
    "rtype": ("MPI_Datatype", "recvtype"),
    "stypes": ("MPI_Datatype*", "sendtypes"),
    "rtypes": ("MPI_Datatype*", "recvtypes"),
    "dest": ("int", "dest"),
    "source": ("int", "source"),
    "root": ("int", "root"),
    "target": ("int", "target_rank"),
    "comm": ("MPI_Comm", "comm comm_old old_comm local_comm intercomm"),
    "win": ("MPI_Win", "win"),
    "request": ("MPI_Request*", "request"),
    "requests": ("MPI_Request*", "array_of_requests"),
    "status": ("MPI_Status*", "status"),
    "statuses": ("MPI_Status*", "array_of_statuses"),
    "flag": ("int*", "flag"),
    "index": ("int*", "index indx"),
    "outcount": ("int*", "outcount"),
    "indices": ("int*", "array_of_indices"),
    "sendbuf": ("void*", "sendbuf"),
    "recvbuf": ("void*", "recvbuf"),
    "level": ("int", "level"),
    "errorcode": ("int", "errorcode"),
    "provided": ("int*", "provided"),
    "ndims": ("int", "ndims"),
    "dims": ("int*", "dims"),
    "newcomm": ("MPI_Comm*", "comm_cart"),
    "file": ("MPI_File", "fh"),
    "filename": ("char*", "filename"),
    "newfile": ("MPI_File*", "fh"),
}

# Where one routine differs: (routine, word) -> its type and names there.
SPECIAL = {
    ("MPI_Precv_init", "source"): ("int", "source dest"),  # MPICH names it after the send
    ("MPI_Comm_free", "comm"): ("MPI_Comm*", "comm"),
    ("MPI_Comm_disconnect", "comm"): ("MPI_Comm*", "comm"),
    ("MPI_Type_free", "type"): ("MPI_Datatype*", "datatype type"),
    ("MPI_Win_free", "win"): ("MPI_Win*", "win"),
    ("MPI_File_close", "file"): ("MPI_File*", "fh"),
}

# Kind: the words it needs; a word with ? is given where the routine has it.
KINDS = {
    "plain": "comm?",
    "count": "count",
    "send": "count type dest comm",
    "receive": "count type source comm status",
    "message_receive": "count type status",
    "post_receive": "count type source comm request",
    "post_message_receive": "count type request",
    "send_init": "count type dest comm request",
    "receive_init": "count type source comm request",
    "psend_init": "partitions count type dest comm request",
    "precv_init": "partitions count type source comm request",
    "sendrecv": "scount stype dest rcount rtype source comm status",
    "sendrecv_replace": "count type dest source comm status",
    "isendrecv": "scount stype dest rcount rtype source comm request",
    "isendrecv_replace": "count type dest source comm request",
    "wait": "request status",
    "test": "request flag status",
    "request_free": "request",
    "start": "request",
    "waitall": "count requests statuses",
    "testall": "count requests flag statuses",
    "startall": "count requests",
    "waitany": "count requests index status",
    "testany": "count requests index flag status",
    "waitsome": "count requests outcount indices statuses",
    "testsome": "count requests outcount indices statuses",
    "barrier": "comm",
    "bcast": "count type root comm",
    "reduce": "sendbuf? recvbuf? count type root comm",
    "allreduce": "sendbuf? recvbuf? count type comm",
    "gather": "sendbuf scount stype rcount rtype root comm",
    "gatherv": "sendbuf scount stype rcounts rtype root comm",
    "scatter": "scount stype recvbuf rcount rtype root comm",
    "scatterv": "scounts stype recvbuf rcount rtype root comm",
    "allgather": "sendbuf scount stype rcount rtype comm",
    "allgatherv": "sendbuf scount stype rcounts rtype comm",
    "alltoall": "sendbuf scount stype rcount rtype comm",
    "alltoallv": "sendbuf scounts stype rcounts rtype comm",
    "alltoallw": "sendbuf scounts stypes rcounts rtypes comm",
    "neighbor_allgather": "scount stype rcount rtype comm",
    "neighbor_allgatherv": "scount stype rcounts rtype comm",
    "neighbor_alltoall": "scount stype rcount rtype comm",
    "neighbor_alltoallv": "scounts stype rcounts rtype comm",
    "neighbor_alltoallw": "scounts stypes rcounts rtypes comm",
    "reduce_scatter": "rcounts type comm",
    "reduce_scatter_block": "rcount type comm",
    "rma_put": "count type target win",
    "rma_get": "count type target win",
    "rma_update": "count? type target win",
    "file_open": "comm filename newfile",
    "file_close": "file",
    "file_read": "file count type status?",
    "file_write": "file count type status?",
    "file_other": "file",
    "comm_free": "comm",
    "type_free": "type",
    "win_free": "win",
    "new_type": "",
    "new_comm": "comm?",
    "cart_create": "comm ndims dims newcomm",
    "init": "",
    "init_thread": "provided",
    "finalize": "",
    "session_finalize": "",
    "abort": "errorcode",
    "pcontrol": "level",
    "clock": "",
    "aint": "",
    "handle": "",
}

# Routines whose int is an answer and not an error code.
ANSWERS = re.compile(r"MPIX_Query_\w+_support$")

SYMBOL = re.compile(r"P?MPI[XIR]?_\w+$")


class Call:
    def __init__(self, line_number, fields):
        self.line = line_number
        self.name, self.kind, self.words = fields[0], fields[1], fields[2:]


class Prototype:
    def __init__(self, returns, arguments):
        self.returns = returns
        self.arguments = arguments  # list of (type, name)


def read_rows(path, least):
    """The fields of every line that is neither blank nor a comment."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            fields = line.split("#")[0].split()
            if fields:
                if len(fields) < least:
                    sys.exit(f"{path}:{number}: at least {least} words are needed")
                yield number, fields


def exported(library):
    """Symbols of the MPI name space that a library defines: name -> is it a function."""
    command = ["nm", "-D", "--defined-only", library]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    symbols = {}
    for line in output.splitlines():
        kind, name = line.split()[-2:]
        name = name.split("@")[0]
        if SYMBOL.match(name):
            symbols[name] = kind in "TWti"
    return symbols


def header_text(path, seen=None):
    """A header with those it includes from its own folder, without comments and directives."""
    seen = set() if seen is None else seen
    seen.add(os.path.realpath(path))
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", " ", text)
    included = re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', text, flags=re.M)
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", " ", text, flags=re.M)
    if len(seen) == 1:
        included.append("mpi-ext.h")  # Open MPI declares its extensions there
    for name in included:
        other = os.path.join(os.path.dirname(path), name)
        if os.path.exists(other) and os.path.realpath(other) not in seen and "cxx" not in name:
            text += header_text(other, seen)
    return text


def parse_argument(text):
    """`const int recvcounts[]` -> ("int*", "recvcounts")."""
    text = re.sub(r"\[[^\]]*\]", "*", text)
    words = [w for w in text.replace("*", " ").split() if w not in ("const", "restrict")]
    type_name = words[0].replace("MPIO_Request", "MPI_Request")
    return type_name + "*" * text.count("*"), words[-1]


def prototypes(header):
    found = {}
    declaration = re.compile(r"\b(\w+)\s+(MPIX?_\w+)\s*\(([^()]*)\)[^;{}]*;")
    text = re.sub(r'"[^"\n]*"', '""', header_text(header))  # deprecation notes hold any character
    for returns, name, arguments in declaration.findall(text):
        if returns == "typedef" or name in found:
            continue
        parts = [part.strip() for part in arguments.split(",")]
        parts = [part for part in parts if part not in ("", "void", "...")]
        found[name] = Prototype(returns, [parse_argument(part) for part in parts])
    return found


def meaning(call, word):
    """The type and the names that an argument with this word must have."""
    c_type, names = SPECIAL.get((call.name, word.lower()), WORDS[word.lower()])
    number = "MPI_Count" if word.isupper() else "int"
    return c_type.replace("COUNT", number), names.split()


def check_words(call):
    """Complaints about the words of a line alone."""
    if call.kind not in KINDS:
        return [f"unknown kind {call.kind}"]
    words = [word for word in call.words if word != "-"]
    known = [word.rstrip("?") for word in KINDS[call.kind].split()]
    needed = [word for word in KINDS[call.kind].split() if not word.endswith("?")]
    lower = [word.lower() for word in words]
    faults = [f"{word} means nothing to {call.kind}" for word in lower if word not in known]
    faults += [f"{word} is given twice" for word in set(lower) if lower.count(word) > 1]
    faults += [f"{word} is missing" for word in needed if word not in lower]
    faults += [f"{word} has no large form" for word in words
               if word.isupper() and "COUNT" not in WORDS.get(word.lower(), ("",))[0]]
    faults += [f"{word} is neither capitals nor lower case" for word in words
               if not word.isupper() and not word.islower()]
    return faults


def check_arguments(call, prototype):
    """Complaints about words that do not fit their arguments."""
    faults = []
    for word, (c_type, name) in zip(call.words, prototype.arguments):
        if word == "-" or word.lower() not in WORDS:
            continue
        wanted, names = meaning(call, word)
        if c_type != wanted:
            faults.append(f"{word} stands for {c_type} {name}, not {wanted}")
        if name not in names:
            faults.append(f"{word} stands for an argument called {name}")
    return faults


def check_unnamed(call, prototype):
    """Complaints about arguments that should have a word and have none.

    `comm` of these two kinds says "collective over it", so there it may be left out."""
    if call.kind in ("plain", "new_comm") or call.kind not in KINDS:
        return []
    used = {word.lower() for word in call.words}
    faults = []
    for word in (word.rstrip("?") for word in KINDS[call.kind].split()):
        forms = [meaning(call, word), meaning(call, word.upper())]
        there = any(c_type == wanted and name in names
                    for c_type, name in prototype.arguments for wanted, names in forms)
        if there and word not in used:
            faults.append(f"{word} is an argument without its word")
    return faults


def check_return(call, prototype):
    special = {"double": "clock", "MPI_Aint": "aint"}
    if prototype.returns == "int":
        fits = call.kind not in ("clock", "aint") and (call.kind == "handle") == bool(ANSWERS.match(call.name))
    else:
        fits = call.kind == special.get(prototype.returns, "handle")
    return [] if fits else [f"returns {prototype.returns}, which {call.kind} does not"]


class Tap:
    def __init__(self):
        self.lines, self.failed = [], 0

    def check(self, title, faults):
        """One TAP line; what is wrong follows as diagnostics."""
        number = len([line for line in self.lines if not line.startswith("#")]) + 1
        self.lines.append(f"{'not ok' if faults else 'ok'} {number} - {title}")
        self.lines += [f"# {fault}" for fault in faults]
        self.failed += bool(faults)

    def finish(self):
        print(f"1..{len([line for line in self.lines if not line.startswith('#')])}")
        print("\n".join(self.lines))
        return 1 if self.failed else 0


def doubles(names):
    return sorted({f"{name} is there twice" for name in names if names.count(name) > 1})


def check_header(tap, label, calls, functions, header):
    """All that one MPI's prototypes can tell about the lines of its routines."""
    known = prototypes(header)
    mine = [call for call in calls if call.name in functions]
    declared = [(call, known[call.name]) for call in mine if call.name in known]

    def collect(check):
        return [f"{call.name}: {fault}" for call, prototype in declared for fault in check(call, prototype)]

    def count(call, prototype):
        have, want = len(call.words), len(prototype.arguments)
        return [] if have == want else [f"{have} words for {want} arguments"]

    tap.check(f"{label}: every exported routine of the table has a prototype",
              [call.name for call in mine if call.name not in known])
    tap.check(f"{label}: as many words as arguments", collect(count))
    tap.check(f"{label}: every word fits the type and name of its argument", collect(check_arguments))
    tap.check(f"{label}: no argument with a meaning is left unnamed", collect(check_unnamed))
    tap.check(f"{label}: the kind fits the return type", collect(check_return))


def find_library(name):
    """Where the dynamic linker would find a library."""
    cache = subprocess.run(["/sbin/ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    return re.search(rf"^\s*{re.escape(name)} .* => (\S+)$", cache, re.MULTILINE).group(1)


def find_header(compiler):
    """The mpi.h that a compiler wrapper includes."""
    seen = subprocess.run([compiler, "-E", "-x", "c", "-"], input="#include <mpi.h>\n", check=True,
                          capture_output=True, text=True).stdout
    return re.search(r'^# 1 "(/\S+/mpi\.h)"', seen, re.MULTILINE).group(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--table", default=SOURCE + "/src/runtime/mpi/calls.table")
    parser.add_argument("--exceptions", default=SOURCE + "/src/runtime/mpi/exceptions.table")
    parser.add_argument("--libs", nargs="+")
    parser.add_argument("--headers", nargs="+")
    parser.add_argument("--wrapped", default=WRAPPED)
    options = parser.parse_args()
    options.libs = options.libs or [find_library("libmpi.so.40"), find_library("libmpich.so.12")]
    options.headers = options.headers or [find_header("mpicc.openmpi"), find_header("mpicc.mpich")]
    if len(options.libs) != len(options.headers):
        parser.error("give one header for each library, in the same order")

    calls = [Call(number, fields) for number, fields in read_rows(options.table, 2)]
    table = {call.name for call in calls}
    excepted = [fields[0] for _, fields in read_rows(options.exceptions, 2)]
    known = table | {"P" + name for name in table}
    alone = {call.name for call in calls if call.kind == "clock"}
    wrapped = known - alone - {"P" + name for name in alone}
    libraries = [exported(path) for path in options.libs]
    all_symbols = set().union(*libraries)

    tap = Tap()
    tap.check("no routine is there twice", doubles([call.name for call in calls]))
    tap.check("no exception is there twice", doubles(excepted))
    tap.check("every line has a known kind and the words of that kind",
              [f"line {call.line}: {call.name}: {fault}" for call in calls for fault in check_words(call)])
    for path, symbols in zip(options.libs, libraries):
        tap.check(f"{os.path.basename(path)}: every symbol is in the table or an exception",
                  sorted(set(symbols) - known - set(excepted)))
    tap.check("every routine of the table is a function that some library exports",
              sorted(name for name in table if not any(symbols.get(name) for symbols in libraries)))
    tap.check("every exception is exported and not wrapped",
              sorted(name for name in excepted if name not in all_symbols or name in known))
    for path, symbols, header in zip(options.libs, libraries, options.headers):
        check_header(tap, os.path.basename(path), calls, symbols, header)
    if options.wrapped:
        ours = exported(options.wrapped)
        tap.check("the library wraps every routine of the table but the clocks, by both names",
                  sorted(name for name in wrapped if not ours.get(name)))
        tap.check("the library defines no other MPI symbol", sorted(set(ours) - wrapped))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
