"""Jobs with a processor whose counters the program itself advances (programs/made_up_counters.h): for machines without a
PMU, and for numbers that are known exactly."""
import jobs

LIBRARY = str(jobs.BUILD / "tests/runtime/made_up_counters/libfathom.so.0")


def compile_with(mpi, name, text):
    return mpi.compile(name, text, "-I", str(jobs.SOURCE / "tests/jobs/programs"))


def environment(names):
    """What a job needs to count these events, in the order of the program's counters."""
    return {"FATHOM_LIBRARY": LIBRARY, "MADE_UP_COUNTERS": str(jobs.SCRATCH / "pages"), "FATHOM_COUNTERS": names}
