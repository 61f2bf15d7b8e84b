/* SPDX-License-Identifier: BSD-3-Clause */
/* The notes about a measurement: what each is called, what its parameters mean and how it reads. One line is all that a
 * note needs.
 *
 * Numbers are in files: a new note gets the next one, and a number is never used again. Names are in JSON, and do not
 * change either. Sentences may: they have no full stop, and %s stands for the argument. Figures that a note counts and the
 * ranks it is about are shown behind its sentence.
 *
 * X(number, code, name, what the amount counts ("": it has none), what the argument is (likewise), sentence) */
#ifndef FM_MODEL_NOTE_CODES_H
#define FM_MODEL_NOTE_CODES_H

#define FM_NOTES(X)                                                                                                     \
    X(1, INVALID_SETTING, "invalid-setting", "", "NAME=VALUE", "the setting %s is not valid")                           \
    X(2, UNKNOWN_SETTING, "unknown-setting", "", "NAME", "%s is not a setting of Fathom")                               \
    X(3, OTHER_TOOL, "other-tool", "", "", "another PMPI tool was active")                                              \
    X(4, FILTER_TRIED, "no-samples-seccomp-tried", "", "",                                                              \
      "call paths not sampled from then on: the program tried to filter its system calls (seccomp)")                    \
    X(5, IO_URING, "no-samples-io-uring", "", "",                                                                       \
      "call paths not sampled, or not from then on: the program uses liburing, whose waits samples would break")        \
    X(6, TRACED, "no-samples-debugger", "", "",                                                                         \
      "call paths not sampled: a debugger was there, which would have stopped at each sample")                          \
    X(7, ABANDONED_CALLS, "abandoned-calls", "calls", "", "calls left by a jump out of MPI (longjmp)")                  \
    X(8, WRITTEN_ELSEWHERE, "written-elsewhere", "", "",                                                                \
      "could not be written where it was to be, and was written here instead")                                          \
    X(9, DAMAGED_SEGMENTS, "damaged-segments", "segments", "", "damaged segments were left out")                        \
    X(10, PART_OF_JOB, "part-of-job", "", "",                                                                           \
      "each host has added its part by itself: ranks without data were not measured, or their hosts have a profile of " \
      "their own, in a directory that is not shared")                                                                   \
    X(11, UNMATCHED_REGION_ENDS, "unmatched-region-ends", "ends of regions", "", "ends of regions that had not begun")  \
    X(12, COARSE_TIMER_EVENTS, "coarse-timer-events", "events of timers", "",                                           \
      "events of timers in histograms without their first digit (all as 1): the table was full")                        \
    X(13, EVENTS_WITHOUT_SITE, "events-without-site", "events", "",                                                     \
      "events recorded without their call site: the table was full")                                                    \
    X(14, EVENTS_WITHOUT_PEER, "events-without-peer", "events", "",                                                     \
      "events recorded without their peer: the table was full")                                                         \
    X(15, EVENTS_WITHOUT_SIZE, "events-without-size", "events", "",                                                     \
      "events recorded without their size: the table was full")                                                         \
    X(16, IN_TMPDIR, "segments-in-tmpdir", "", "",                                                                      \
      "measured in TMPDIR because the usual directory could not be made or had no room")                                \
    X(17, OTHER_DIRECTORY, "segments-in-other-directory", "", "",                                                       \
      "measured in another directory because the usual one was not the user's alone")                                   \
    X(18, PRIVATE_MEMORY, "segments-in-private-memory", "", "",                                                         \
      "measured in private memory because no directory had room: a killed process is lost")                             \
    X(19, SMALLER_TABLE, "smaller-table", "", "", "measured with a smaller table than asked for, for lack of room")     \
    X(20, CUT_TIMER_NAMES, "cut-timer-names", "names", "", "names of timers cut: longer than 119 bytes")                \
    X(21, RECEIVES_WITHOUT_LENGTH, "receives-without-length", "receives", "",                                           \
      "nonblocking receives recorded without their length: too many were pending")                                      \
    X(22, REFUSED_REGIONS, "refused-regions", "regions", "", "regions refused: too many, too deep or badly named")      \
    X(23, FROM_OUTSIDE, "sampled-from-outside", "", "",                                                                 \
      "sampled from outside (fathom attach): MPI calls are not counted")                                                \
    X(24, SPAWNED, "spawned", "", "", "started by MPI_Comm_spawn")                                                      \
    X(25, REFUSED_TIMERS, "refused-timers", "starts and stops", "",                                                     \
      "starts and stops of timers refused: there was no room for more timers or threads")                               \
    X(26, SUBTOTALS_LEFT_OUT, "subtotals-left-out", "subtotals", "",                                                    \
      "subtotals of single processes left out: there were more than 1000")                                              \
    X(27, REFUSED_SUBTOTALS, "refused-subtotals", "subtotals", "", "subtotals refused: their table was full")           \
    X(28, FILTERED, "no-samples-seccomp", "", "",                                                                       \
      "system calls filtered by the program (seccomp): call paths not sampled from then on, and processor time and "    \
      "memory known until then")                                                                                        \
    X(29, APART, "ranks-apart", "", "",                                                                                 \
      "the launcher started several processes, but MPI runs each as a job of its own: the mpirun of another MPI?")      \
    X(30, UNSAMPLED_THREADS, "unsampled-threads", "threads", "",                                                        \
      "threads not sampled: more than 256 at a time, all signals blocked, or a small alternate signal stack")           \
    X(31, COARSE_CLOCK, "coarse-clock", "", "",                                                                         \
      "timed with clock_gettime because the kernel does not trust the processor's counter")                             \
    X(32, TIMER_MISUSES, "timer-misuses", "wrong uses", "",                                                             \
      "wrong uses of timers (fathom report --view timers says where)")

enum fm_note_code {
    FM_NOTE_TEXT = 0, /* a sentence of an older Fathom that this one does not know */
#define FM_NOTE_CODE(number, code, name, amount, argument, sentence) FM_NOTE_##code = (number),
    FM_NOTES(FM_NOTE_CODE)
#undef FM_NOTE_CODE
};

#endif
