/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/old_notes.h"

#include <stdio.h>
#include <string.h>

#include "model/note_codes.h"

/* As they are in files: this table does not change when the wording of notes does. No pointers: each one would need a
 * relocation in every process that loads the library. */
static const struct {
    uint32_t code;
    char text[160];
} sentences[] = {
    {FM_NOTE_OTHER_TOOL, "another PMPI tool was active"},
    {FM_NOTE_FILTER_TRIED,
     "call paths not sampled from then on: the program tried to filter its system calls (seccomp)"},
    {FM_NOTE_IO_URING,
     "call paths not sampled, or not from then on: the program uses liburing, whose waits samples would break"},
    {FM_NOTE_TRACED, "call paths not sampled: a debugger was there, which would have stopped at each sample"},
    {FM_NOTE_ABANDONED_CALLS, "calls left by a jump out of MPI (longjmp)"},
    {FM_NOTE_WRITTEN_ELSEWHERE, "could not be written where it was to be, and was written here instead"},
    {FM_NOTE_DAMAGED_SEGMENTS, "damaged segments were left out"},
    {FM_NOTE_PART_OF_JOB,
     "each host has added its part by itself: ranks without data were not measured, or their hosts have a profile of "
     "their own, in a directory that is not shared"},
    {FM_NOTE_UNMATCHED_REGION_ENDS, "ends of regions that had not begun"},
    {FM_NOTE_COARSE_TIMER_EVENTS,
     "events of timers in histograms without their first digit (all as 1): the table was full"},
    {FM_NOTE_EVENTS_WITHOUT_SITE, "events recorded without their call site: the table was full"},
    {FM_NOTE_EVENTS_WITHOUT_PEER, "events recorded without their peer: the table was full"},
    {FM_NOTE_EVENTS_WITHOUT_SIZE, "events recorded without their size: the table was full"},
    {FM_NOTE_IN_TMPDIR, "measured in TMPDIR because the usual directory could not be made or had no room"},
    {FM_NOTE_OTHER_DIRECTORY, "measured in another directory because the usual one was not the user's alone"},
    {FM_NOTE_PRIVATE_MEMORY, "measured in private memory because no directory had room: a killed process is lost"},
    {FM_NOTE_SMALLER_TABLE, "measured with a smaller table than asked for, for lack of room"},
    {FM_NOTE_CUT_TIMER_NAMES, "names of timers cut: longer than 119 bytes"},
    {FM_NOTE_RECEIVES_WITHOUT_LENGTH, "nonblocking receives recorded without their length: too many were pending"},
    {FM_NOTE_REFUSED_REGIONS, "regions refused: too many, too deep or badly named"},
    {FM_NOTE_FROM_OUTSIDE, "sampled from outside (fathom attach): MPI calls are not counted"},
    {FM_NOTE_SPAWNED, "started by MPI_Comm_spawn"},
    {FM_NOTE_REFUSED_TIMERS, "starts and stops of timers refused: there was no room for more timers or threads"},
    {FM_NOTE_SUBTOTALS_LEFT_OUT, "subtotals of single processes left out: there were more than 1000"},
    {FM_NOTE_REFUSED_SUBTOTALS, "subtotals refused: their table was full"},
    {FM_NOTE_FILTERED,
     "system calls filtered by the program (seccomp): call paths not sampled from then on, and processor time and "
     "memory known until then"},
    {FM_NOTE_APART,
     "the launcher started several processes, but MPI runs each as a job of its own: the mpirun of another MPI?"},
    {FM_NOTE_UNSAMPLED_THREADS,
     "threads not sampled: more than 256 at a time, all signals blocked, or a small alternate signal stack"},
    {FM_NOTE_COARSE_CLOCK, "timed with clock_gettime because the kernel does not trust the processor's counter"},
    {FM_NOTE_TIMER_MISUSES, "wrong uses of timers (fathom report --view timers says where)"},
};

static bool set(struct fm_note *note, uint32_t code, const char *argument)
{
    if (!argument)
        return false;
    note->code = code;
    note->argument = argument;
    note->text = "";
    return true;
}

/* "FATHOM_NAME needs <valid values>, not '<value>': <what is done instead>" */
static bool recognize_invalid_setting(struct fm_note *note, size_t name, struct fm_arena *arena)
{
    static const char before[] = ", not '", after[] = "': ";
    const char *value = strstr(note->text + name, before), *end = NULL;
    value = value ? value + strlen(before) : NULL;
    for (const char *at = value; at && (at = strstr(at, after)); at++)
        end = at;
    if (!end)
        return true;
    size_t size = name + 1 + (size_t)(end - value) + 1;
    char *argument = fm_arena_alloc(arena, size);
    if (argument)
        snprintf(argument, size, "%.*s=%.*s", (int)name, note->text, (int)(end - value), value);
    return set(note, FM_NOTE_INVALID_SETTING, argument);
}

bool fm_note_recognize(struct fm_note *note, struct fm_arena *arena)
{
    static const char needs[] = " needs ", is_none[] = " is not a setting of Fathom; did you mean FATHOM_";
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (strcmp(note->text, sentences[i].text) == 0)
            return set(note, sentences[i].code, "");
    size_t name = strncmp(note->text, "FATHOM_", 7) == 0 ? strcspn(note->text, " ") : 0;
    if (name && strncmp(note->text + name, is_none, strlen(is_none)) == 0)
        return set(note, FM_NOTE_UNKNOWN_SETTING, fm_arena_strndup(arena, note->text, name));
    if (name && strncmp(note->text + name, needs, strlen(needs)) == 0)
        return recognize_invalid_setting(note, name, arena);
    return true;
}
