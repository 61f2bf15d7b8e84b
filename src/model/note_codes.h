/* SPDX-License-Identifier: BSD-3-Clause */
/* The notes about a measurement: name, parameters and text of each. One line is all that a note needs.
 *
 * Numbers are stored in files: a new note takes the next one, and a number is never reused. Names are used in JSON and
 * do not change either. Sentences may change: they have no full stop, and %s is replaced by the argument. The amount
 * and the ranks of a note are shown after its sentence.
 *
 * X(number, code, name, what the amount counts ("": no amount), what the argument is ("": none), sentence) */
#ifndef FM_MODEL_NOTE_CODES_H
#define FM_MODEL_NOTE_CODES_H

#define FM_NOTES(X)                                                                                                   \
    X(1, INVALID_SETTING, "invalid-setting", "", "NAME=VALUE", "invalid setting %s")                                  \
    X(2, UNKNOWN_SETTING, "unknown-setting", "", "NAME", "unknown setting %s")                                        \
    X(3, OTHER_TOOL, "other-tool", "", "", "another PMPI tool was active")                                            \
    X(4, FILTER_TRIED, "no-samples-seccomp-tried", "", "",                                                            \
      "sampling stopped: the program tried to install a seccomp filter")                                              \
    X(5, IO_URING, "no-samples-io-uring", "", "",                                                                     \
      "sampling off or stopped: the program uses liburing, whose waits a sample would interrupt")                     \
    X(6, TRACED, "no-samples-debugger", "", "",                                                                       \
      "sampling off: a debugger was attached, which would stop at every sample")                                      \
    X(7, ABANDONED_CALLS, "abandoned-calls", "calls", "", "MPI calls left by longjmp")                                \
    X(8, WRITTEN_ELSEWHERE, "written-elsewhere", "", "",                                                              \
      "the profile could not be written to the requested place, and was written here instead")                        \
    X(9, DAMAGED_SEGMENTS, "damaged-segments", "segments", "", "damaged segments were skipped")                       \
    X(10, PART_OF_JOB, "part-of-job", "", "",                                                                         \
      "each host added its part separately: ranks without data were not measured, or their hosts wrote a profile of " \
      "their own to a directory that is not shared")                                                                  \
    X(11, UNMATCHED_REGION_ENDS, "unmatched-region-ends", "region ends", "", "region ends without a begin")           \
    X(12, COARSE_TIMER_EVENTS, "coarse-timer-events", "timer events", "",                                             \
      "timer events in histograms without their first digit (all as 1): table full")                                  \
    X(13, EVENTS_WITHOUT_SITE, "events-without-site", "events", "",                                                   \
      "events recorded without their call site: table full")                                                          \
    X(14, EVENTS_WITHOUT_PEER, "events-without-peer", "events", "", "events recorded without their peer: table full") \
    X(15, EVENTS_WITHOUT_SIZE, "events-without-size", "events", "", "events recorded without their size: table full") \
    X(16, IN_TMPDIR, "segments-in-tmpdir", "", "",                                                                    \
      "data kept in TMPDIR because the default directory could not be created or was full")                           \
    X(17, OTHER_DIRECTORY, "segments-in-other-directory", "", "",                                                     \
      "data kept in another directory because the default one was not private to the user")                           \
    X(18, PRIVATE_MEMORY, "segments-in-private-memory", "", "",                                                       \
      "data kept in private memory because no directory had space: lost if a process was killed")                     \
    X(19, SMALLER_TABLE, "smaller-table", "", "", "tables smaller than requested, for lack of space")                 \
    X(20, CUT_TIMER_NAMES, "cut-timer-names", "names", "", "timer names truncated to 119 bytes")                      \
    X(21, RECEIVES_WITHOUT_LENGTH, "receives-without-length", "receives", "",                                         \
      "nonblocking receives recorded without their length: too many pending")                                         \
    X(22, REFUSED_REGIONS, "refused-regions", "regions", "",                                                          \
      "regions ignored: too many, nested too deeply, or with an invalid name")                                        \
    X(23, FROM_OUTSIDE, "sampled-from-outside", "", "", "sampled by fathom attach: MPI calls are not counted")        \
    X(24, SPAWNED, "spawned", "", "", "started by MPI_Comm_spawn")                                                    \
    X(25, REFUSED_TIMERS, "refused-timers", "starts and stops", "",                                                   \
      "timer starts and stops ignored: no space for more timers or threads")                                          \
    X(26, SUBTOTALS_LEFT_OUT, "subtotals-left-out", "snapshots", "",                                                  \
      "snapshots of single processes dropped: more than 1000")                                                        \
    X(27, REFUSED_SUBTOTALS, "refused-subtotals", "snapshots", "",                                                    \
      "snapshots dropped: a process keeps at most 16 (4 with FATHOM_MEMORY below 2M)")                                \
    X(28, FILTERED, "no-samples-seccomp", "", "",                                                                     \
      "the program installed a seccomp filter: sampling stopped; CPU time and memory cover the time before it")       \
    X(29, APART, "ranks-apart", "", "",                                                                               \
      "the launcher started several processes, but each runs as a separate MPI job: mpirun of another MPI?")          \
    X(30, UNSAMPLED_THREADS, "unsampled-threads", "threads", "",                                                      \
      "threads not sampled: more than 256 at a time, no timers left (ulimit -i), all signals blocked, or a small "    \
      "alternate signal stack")                                                                                       \
    X(31, COARSE_CLOCK, "coarse-clock", "", "",                                                                       \
      "timed with clock_gettime because the kernel's clock source is not the CPU counter")                            \
    X(32, TIMER_MISUSES, "timer-misuses", "misuses", "", "misuses of timers (see fathom report --view timers)")       \
    X(33, SUCCESSIONS_LEFT_OUT, "successions-left-out", "reductions", "",                                             \
      "successive reductions not counted as such: table full")                                                        \
    X(34, UNSEEN_MPI, "unseen-mpi", "", "",                                                                           \
      "MPI was loaded, but no call of it was seen: calls through dlsym with a handle (ctypes, Julia) or in "          \
      "libraries loaded with RTLD_DEEPBIND are not measured")                                                         \
    X(35, FILES_COMBINED, "files-combined", "files", "", "files counted only as a part of their class: table full")   \
    X(36, NO_COUNTERS, "no-counters", "", "why", "nothing was counted: %s")                                           \
    X(37, UNKNOWN_COUNTER, "unknown-counter", "", "name", "counter %s is unknown or not available")                   \
    X(38, UNCOUNTED_THREADS, "uncounted-threads", "threads", "",                                                      \
      "threads without counters: too many at once or in short time, or too few file descriptors (ulimit -n)")

enum fm_note_code {
    FM_NOTE_TEXT = 0, /* a sentence of an older Fathom that is not in the table */
#define FM_NOTE_CODE(number, code, name, amount, argument, sentence) FM_NOTE_##code = (number),
    FM_NOTES(FM_NOTE_CODE)
#undef FM_NOTE_CODE
};

#endif
