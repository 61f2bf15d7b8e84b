/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/profile.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/intern.h"
#include "base/saturate.h"
#include "model/schema.h"
#include "model/strings.h"

/* What fm_profile_create actually allocates: the public part is the first member. */
struct fm_profile_full {
    struct fm_profile profile;
    struct fm_intern strings;
};

struct fm_profile *fm_profile_create(void)
{
    return fm_profile_create_from(NULL);
}

struct fm_profile *fm_profile_create_from(struct fm_arena *spare)
{
    struct fm_arena arena = {.spare = spare};
    struct fm_profile_full *full = fm_arena_alloc(&arena, sizeof *full);
    if (!full)
        return NULL;
    full->profile.arena = arena;
    for (size_t i = 0; i < fm_job_fields.n; i++)
        if (fm_job_fields.list[i].kind == FM_FIELD_TEXT)
            *fm_field_text(&fm_job_fields.list[i], &full->profile.job) = "";
    return &full->profile;
}

void fm_profile_destroy(struct fm_profile *profile)
{
    if (!profile)
        return;
    struct fm_arena arena = profile->arena; /* the profile itself is allocated from it */
    fm_arena_destroy(&arena);
}

const char *fm_profile_intern(struct fm_profile *profile, const char *text)
{
    if (!*text)
        return "";
    struct fm_intern *strings = &((struct fm_profile_full *)(void *)profile)->strings;
    struct fm_intern_slot *slot = fm_intern_put(strings, &profile->arena, text, true);
    return slot ? slot->text : NULL;
}

bool fm_profile_complete(const struct fm_profile *profile)
{
    uint32_t next = 0;
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        bool same = i > 0 && process->rank == process[-1].rank;
        if (process->end != FM_END_FINALIZED || (!profile->part && process->rank > next))
            return false;
        if (!same)
            next++;
    }
    return next && next >= profile->job.ranks;
}

uint64_t fm_profile_wall_ns(const struct fm_profile *profile)
{
    const struct fm_job *job = &profile->job;
    return job->ended_real_ns > job->started_real_ns ? job->ended_real_ns - job->started_real_ns : 0;
}

static void signal_text(int code, char *buffer, size_t size)
{
    const char *name = sigabbrev_np(code);
    if (name)
        snprintf(buffer, size, "killed by signal %d (SIG%s)", code, name);
    else
        snprintf(buffer, size, "killed by signal %d", code);
}

const char *fm_end_text(enum fm_end end, int code, char *buffer, size_t size)
{
    switch (end) {
    case FM_END_FINALIZED:
        return "reached MPI_Finalize";
    case FM_END_EXITED:
        if (code == -1)
            return "exited without MPI_Finalize";
        snprintf(buffer, size, "exited with status %d without MPI_Finalize", code);
        return buffer;
    case FM_END_ABORTED:
        snprintf(buffer, size, "called MPI_Abort with error code %d", code);
        return buffer;
    case FM_END_SIGNALLED:
        signal_text(code, buffer, size);
        return buffer;
    case FM_END_REPLACED:
        return "replaced by another program (exec)";
    case FM_END_VANISHED:
        return "vanished";
    case FM_END_MISSING:
        return "left no data";
    case FM_END_UNKNOWN:
        break;
    }
    return "still running";
}

uint64_t fm_io_ns(const struct fm_io *io)
{
    return fm_sum(fm_sum(io->read_ns, io->write_ns), io->meta_ns);
}
