/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge/from_segment.h"

#include <stdio.h>
#include <string.h>

#include "base/commit.h"
#include "base/saturate.h"
#include "base/settings.h"
#include "base/sort.h"
#include "merge/notes.h"
#include "merge/parts.h"
#include "merge/segment_reader.h"
#include "model/order.h"
#include "model/strings.h"

/* ---- time ---- */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The latest time at which the process is known to have been measured. */
static uint64_t last_activity(const struct fm_segment_reader *r)
{
    uint64_t started = r->view.header.started_mono_ns,
             last = later(fm_sum(started, r->view.header.init_ns), fm_segment_reader_last_sample(r));
    for (size_t slot = 0; slot < fm_segment_items(&r->view, FM_SECTION_THREADS); slot++) {
        struct fm_segment_thread thread;
        fm_segment_reader_thread(r, slot, &thread);
        last = later(last, fm_segment_reader_call_start(r, &thread)); /* kept after the last call has ended */
        for (uint32_t i = 0; i < thread.region_depth; i++)
            last = later(last, thread.region_stack[i].since_ns);
    }
    for (size_t i = 0; i < fm_segment_items(&r->view, FM_SECTION_SNAPSHOTS); i++) {
        struct fm_segment_snapshot snapshot;
        fm_segment_item(&r->view, FM_SECTION_SNAPSHOTS, i, &snapshot, sizeof snapshot);
        last = later(last, fm_sum(started, snapshot.when_ns));
    }
    uint64_t spent[256] = {0}; /* by thread slot: a thread cannot spend more time than has passed */
    for (size_t i = 0; i < fm_segment_items(&r->view, FM_SECTION_ENTRIES); i++) {
        struct fm_entry entry;
        fm_segment_item(&r->view, FM_SECTION_ENTRIES, i, &entry, sizeof entry);
        fm_add_saturating(&spent[entry.key.thread], fm_segment_reader_ns(r, entry.total_ns));
    }
    for (size_t i = 0; i < 256; i++)
        last = later(last, fm_sum(started, spent[i]));
    return last;
}

static enum fm_status read_times(struct fm_segment_reader *r, uint64_t now_mono_ns)
{
    const struct fm_segment_header *header = &r->view.header;
    r->now_ns = header->ended_mono_ns ? header->ended_mono_ns : now_mono_ns ? now_mono_ns : last_activity(r);
    r->wall_ns = r->now_ns > header->started_mono_ns ? r->now_ns - header->started_mono_ns : 0;
    const uint64_t durations[] = {r->wall_ns,      header->user_ns,   header->system_ns,
                                  header->init_ns, header->finish_ns, header->started_real_ns};
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
        if (durations[i] > FM_LONGEST_NS)
            return fm_segment_reader_damage(r, "invalid time in the header");
    return FM_OK;
}

/* ---- the job ---- */

/* The profile's copy of a string, as printable UTF-8. */
static const char *intern_clean(struct fm_segment_reader *r, const char *text, bool lines)
{
    const char *clean = fm_clean_text(&r->view.scratch, text, SIZE_MAX, lines);
    return clean ? fm_profile_intern(r->profile, clean) : NULL;
}

/* A segment may be of anybody. */
static const char *commit_of(const struct fm_segment_view *view)
{
    const char *text = fm_segment_text(view, view->header.text_commit);
    return fm_commit_is_valid(text) ? text : "";
}

static bool read_job_texts(struct fm_segment_reader *r)
{
    static const char languages[][12] = {"", "C", "C++", "Fortran", "Python"};
    const struct fm_segment_header *h = &r->view.header;
    const struct fm_segment_view *v = &r->view;
    struct fm_job *job = &r->profile->job;
    const struct {
        const char **slot;
        const char *text;
    } texts[] = {
        {&job->key, h->job_key},
        {&job->run_id, h->run_id},
        {&job->id, fm_segment_text(v, h->text_job_id)},
        {&job->exe, fm_segment_text(v, h->text_exe)},
        {&job->build_id, fm_segment_text(v, h->text_build_id)},
        {&job->cwd, fm_segment_text(v, h->text_cwd)},
        {&job->user, fm_segment_text(v, h->text_user)},
        {&job->launcher, fm_segment_text(v, h->text_launcher)},
        {&job->mpi, fm_segment_text(v, h->text_mpi_version)},
        {&job->mpi_library, fm_segment_text(v, h->text_mpi_library)},
        {&job->tool, fm_segment_text(v, h->text_tool)},
        {&job->output, fm_segment_text(v, h->text_output)},
        {&job->commit, commit_of(v)},
        {&job->runtime_version, fm_segment_text(v, h->text_runtime_version)},
        {&job->language, h->language < sizeof languages / sizeof *languages ? languages[h->language] : ""},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!(*texts[i].slot = intern_clean(r, texts[i].text, false)))
            return false;
    return true;
}

/* Number of strings in a list, which is ended by an empty string. */
static size_t list_length(const struct fm_segment_view *view, uint32_t offset)
{
    size_t n = 0;
    for (const char *text = fm_segment_text(view, offset); *text; text += strlen(text) + 1) {
        n++;
        if (text + strlen(text) >= view->text + view->n_text)
            break; /* the last string of the section, whose list is not terminated */
    }
    return n;
}

static bool read_argv(struct fm_segment_reader *r)
{
    struct fm_job *job = &r->profile->job;
    const char *text = fm_segment_text(&r->view, r->view.header.text_argv);
    job->n_argv = list_length(&r->view, r->view.header.text_argv);
    job->argv = fm_arena_alloc(&r->profile->arena, job->n_argv * sizeof *job->argv);
    if (!job->argv)
        return false;
    for (size_t i = 0; i < job->n_argv; i++, text += strlen(text) + 1)
        if (!(job->argv[i] = intern_clean(r, text, true)))
            return false;
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct fm_name_value *)a)->name, ((const struct fm_name_value *)b)->name);
}

static bool read_env(struct fm_segment_reader *r)
{
    struct fm_job *job = &r->profile->job;
    const char *text = fm_segment_text(&r->view, r->view.header.text_env);
    size_t n = list_length(&r->view, r->view.header.text_env);
    job->env = fm_arena_alloc(&r->profile->arena, n * sizeof *job->env);
    if (!job->env)
        return false;
    for (size_t i = 0; i < n; i++, text += strlen(text) + 1) {
        const char *equals = strchrnul(text, '=');
        char *name = fm_arena_strndup(&r->view.scratch, text, (size_t)(equals - text));
        job->env[i].name = name ? intern_clean(r, name, false) : NULL;
        job->env[i].value = intern_clean(r, *equals ? equals + 1 : "", true);
        if (!job->env[i].name || !job->env[i].value)
            return false;
    }
    if (!fm_sort(job->env, n, sizeof *job->env, compare_names, &r->view.scratch))
        return false;
    for (size_t i = 0; i < n; i++) /* if a name occurs twice, the first value counts, as for getenv */
        if (!job->n_env || strcmp(job->env[job->n_env - 1].name, job->env[i].name))
            job->env[job->n_env++] = job->env[i];
    return true;
}

static bool read_job(struct fm_segment_reader *r)
{
    const struct fm_segment_header *header = &r->view.header;
    struct fm_job *job = &r->profile->job;
    job->ranks = (uint32_t)header->world_size;
    job->thread_level = header->thread_level;
    if (header->cart.n == FM_GRID_CONFLICT)
        job->cart.n = FM_GRID_CONFLICT;
    else if (fm_grid_valid(&header->cart) && fm_grid_covers(&header->cart, job->ranks))
        job->cart = header->cart;
    job->started_real_ns = header->started_real_ns;
    job->ended_real_ns = header->started_real_ns + r->wall_ns;
    return read_job_texts(r) && read_argv(r) && read_env(r);
}

/* ---- the process ---- */

/* end, code: what the caller knows; what the segment says may be more exact. */
static void read_end(struct fm_segment_reader *r, enum fm_end end, int code)
{
    const struct fm_segment_header *header = &r->view.header;
    bool no_mpi = header->flags & FM_FLAG_NO_MPI, use_own = end == FM_END_UNKNOWN || end == FM_END_VANISHED;
    if (header->leave == FM_LEAVE_ABORT) {
        end = FM_END_ABORTED;
        code = header->leave_code;
    } else if (header->leave == FM_LEAVE_EXEC) {
        end = FM_END_REPLACED;
        code = 0;
    } else if (header->leave == FM_LEAVE_FINALIZE && end != FM_END_SIGNALLED) {
        end = FM_END_FINALIZED;
        code = 0;
    } else if (header->leave == FM_LEAVE_EXIT && use_own) {
        end = FM_END_EXITED;
        code = header->leave_code;
    } else if (header->leave == FM_LEAVE_UNKNOWN && end == FM_END_UNKNOWN && header->state >= FM_STATE_FINALIZING) {
        end = FM_END_FINALIZED;
    }
    if (no_mpi && end == FM_END_EXITED) { /* it exited normally */
        end = FM_END_FINALIZED;
        code = 0;
    }
    r->end = end;
    r->end_code = code;
}

/* The routine in which the first thread with a call in progress is. */
static const char *call_in_progress(const struct fm_segment_reader *r)
{
    for (size_t slot = 0; slot < fm_segment_items(&r->view, FM_SECTION_THREADS); slot++) {
        struct fm_segment_thread thread;
        fm_segment_reader_thread(r, slot, &thread);
        if (thread.call_routine && thread.call_routine <= r->routines.n)
            return fm_routine_name_in(&r->routines, thread.call_routine - 1);
    }
    return "";
}

static uint64_t overhead(const struct fm_segment_reader *r)
{
    const struct fm_segment_header *header = &r->view.header;
    uint64_t events = 0;
    for (size_t i = 0; i < r->profile->n_events; i++)
        fm_add_saturating(&events, r->profile->events[i].stats.count);
    unsigned __int128 ns = (unsigned __int128)events * header->event_cost_ps / 1000;
    return fm_sum(fm_sum(header->init_ns, header->finish_ns), ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns);
}

static uint64_t known_or_not(uint64_t value)
{
    return value ? value : FM_UNKNOWN;
}

static uint64_t less_one(uint64_t value)
{
    return value ? value - 1 : FM_UNKNOWN;
}

/* The smaller one that is known. */
static uint64_t least(uint64_t a, uint64_t b)
{
    return a && (!b || a < b) ? a : b;
}

static bool has_network(const struct fm_network *network)
{
    return network->received_bytes || network->sent_bytes || network->received_packets || network->sent_packets;
}

/* A process that did not record its end still tells the start. */
static void read_network(const struct fm_segment_header *header, struct fm_host *host)
{
    const struct fm_network *start = &header->network_start, *end = &header->network_end;
    if (has_network(start)) {
        host->received_start_bytes = start->received_bytes;
        host->sent_start_bytes = start->sent_bytes;
        host->received_start_packets = start->received_packets;
        host->sent_start_packets = start->sent_packets;
    }
    if (has_network(end)) {
        host->received_end_bytes = end->received_bytes;
        host->sent_end_bytes = end->sent_bytes;
        host->received_end_packets = end->received_packets;
        host->sent_end_packets = end->sent_packets;
    }
}

static bool read_host(struct fm_segment_reader *r)
{
    const struct fm_segment_header *header = &r->view.header;
    struct fm_range range;
    struct fm_host host = fm_host_of(intern_clean(r, header->host, false));
    host.cores = header->host_cores;
    host.memory_bytes = header->host_memory_bytes;
    host.least_free_bytes = known_or_not(least(header->available_bytes, header->seen_available_bytes));
    host.limit_bytes = known_or_not(header->memory_limit.bytes);
    host.limit_peak_bytes = known_or_not(header->memory_limit.peak_bytes);
    host.numa_nodes = known_or_not(header->numa_nodes);
    host.peak_flops_per_cycle = known_or_not(header->peak_flops_per_cycle);
    read_network(header, &host);
    host.cpu = intern_clean(r, fm_segment_text(&r->view, header->text_cpu_model), false);
    host.ranks = fm_segment_reader_ranks(r, &range);
    return host.name && host.cpu && fm_merge_hosts(r->profile, &host, 1);
}

/* The job must have been read. */
static bool read_program(struct fm_segment_reader *r)
{
    struct fm_range range;
    struct fm_program program = {r->profile->job.exe, r->profile->job.build_id, fm_segment_reader_ranks(r, &range)};
    return fm_merge_list(r->profile, &fm_list_programs, &program, 1);
}

/* The difference of two values of fm_process_runqueue + 1. The process cannot have waited longer than it was measured. */
static uint64_t runqueue_of(const struct fm_segment_reader *r)
{
    const struct fm_segment_header *header = &r->view.header;
    if (!header->runqueue_start || header->runqueue_end < header->runqueue_start)
        return FM_UNKNOWN;
    uint64_t waited = header->runqueue_end - header->runqueue_start;
    return waited < r->wall_ns ? waited : r->wall_ns;
}

/* The kernel's high water and its resident size are each approximate by some pages per thread, and that of a killed process
 * is as old as its last sample; but it was never below what was resident. */
static void raise_high_water(struct fm_process *process)
{
    const uint64_t resident[] = {process->init_rss_bytes, process->end_rss_bytes};
    for (size_t i = 0; i < sizeof resident / sizeof *resident; i++)
        if (process->max_rss_bytes && resident[i] != FM_UNKNOWN && resident[i] > process->max_rss_bytes)
            process->max_rss_bytes = resident[i];
}

/* The events must have been read. */
static bool read_process(struct fm_segment_reader *r)
{
    const struct fm_segment_header *header = &r->view.header;
    struct fm_process process = {
        .rank = r->rank,
        .core = header->core,
        .pid = header->pid,
        .wall_ns = r->wall_ns,
#define HEADER(member) .member = FM_SEGMENT_HAS(header, member) ? header->member : FM_UNKNOWN,
#define MADE(member)
#define X(column, since, member, unit, known, source, ...) source(member)
        FM_PROCESS_FIGURES(X)
#undef X
#undef MADE
#undef HEADER
            .runqueue_ns = runqueue_of(r),
        .init_rss_bytes = known_or_not(header->init_rss_bytes),
        .end_rss_bytes = known_or_not(header->end_rss_bytes),
        .allowed_cpus = known_or_not(header->allowed_cpus),
        .first_cpu = less_one(header->first_cpu),
        .numa_node = less_one(header->numa_node),
        .io_ns = r->io_ns,
        .read_bytes = r->read_bytes,
        .written_bytes = r->written_bytes,
        .overhead_ns = overhead(r),
        .end = r->end,
        .end_code = r->end_code,
    };
    raise_high_water(&process);
    for (size_t i = 0; i < r->profile->n_events; i++)
        fm_add_saturating(&process.mpi_ns, r->profile->events[i].stats.total_ns);
    bool abnormal = process.end != FM_END_FINALIZED && process.end != FM_END_UNKNOWN;
    process.inside = abnormal ? call_in_progress(r) : "";
    return read_host(r) && read_program(r) && fm_merge_processes(r->profile, &process, 1);
}

/* ---- notes ---- */

static bool note_setting(struct fm_segment_reader *r, const struct fm_name_value *variable,
                         const struct fm_rankset *ranks)
{
    if (!fm_setting_known(variable->name))
        return fm_profile_note(r->profile, FM_NOTE_UNKNOWN_SETTING, variable->name, 0, ranks);
    size_t size = strlen(variable->name) + strlen(variable->value) + 2;
    char *argument = fm_arena_alloc(&r->view.scratch, size);
    if (!argument)
        return false;
    snprintf(argument, size, "%s=%s", variable->name, variable->value);
    return fm_profile_note(r->profile, FM_NOTE_INVALID_SETTING, argument, 0, ranks);
}

static bool note_settings(struct fm_segment_reader *r, const struct fm_rankset *ranks)
{
    const struct fm_job *job = &r->profile->job;
    char sentence[FM_SETTING_SENTENCE];
    for (size_t i = 0; i < job->n_env; i++)
        if (fm_setting_problem(job->env[i].name, job->env[i].value, sentence) && !note_setting(r, &job->env[i], ranks))
            return false;
    return true;
}

static bool read_notes(struct fm_segment_reader *r)
{
    const struct fm_segment_header *h = &r->view.header;
    const struct {
        uint64_t amount;
        enum fm_note_code code;
    } counted[] = {
        {h->degraded_peer, FM_NOTE_EVENTS_WITHOUT_PEER},
        {h->degraded_site, FM_NOTE_EVENTS_WITHOUT_SITE},
        {h->degraded_size, FM_NOTE_EVENTS_WITHOUT_SIZE},
        {h->lost_successions, FM_NOTE_SUCCESSIONS_LEFT_OUT},
        {h->combined_files, FM_NOTE_FILES_COMBINED},
        {h->untracked_receives, FM_NOTE_RECEIVES_WITHOUT_LENGTH},
        {h->unmatched_region_ends, FM_NOTE_UNMATCHED_REGION_ENDS},
        {h->refused_regions, FM_NOTE_REFUSED_REGIONS},
        {h->refused_snapshots, FM_NOTE_REFUSED_SUBTOTALS},
        {h->refused_timers, FM_NOTE_REFUSED_TIMERS},
        {h->cut_timer_names, FM_NOTE_CUT_TIMER_NAMES},
        {h->unsampled_threads, FM_NOTE_UNSAMPLED_THREADS},
        {h->abandoned_calls, FM_NOTE_ABANDONED_CALLS},
    };
    static const struct {
        uint32_t flag;
        enum fm_note_code code;
    } flags[] = {
        {FM_FLAG_FALLBACK_DIR, FM_NOTE_IN_TMPDIR},
        {FM_FLAG_OTHER_DIR, FM_NOTE_OTHER_DIRECTORY},
        {FM_FLAG_ANONYMOUS, FM_NOTE_PRIVATE_MEMORY},
        {FM_FLAG_SMALLER, FM_NOTE_SMALLER_TABLE},
        {FM_FLAG_OTHER_TOOL, FM_NOTE_OTHER_TOOL},
        {FM_FLAG_SPAWNED, FM_NOTE_SPAWNED},
        {FM_FLAG_APART, FM_NOTE_APART},
        {FM_FLAG_COARSE_CLOCK, FM_NOTE_COARSE_CLOCK},
        {FM_FLAG_TRACED, FM_NOTE_TRACED},
        {FM_FLAG_FILTERED, FM_NOTE_FILTERED},
        {FM_FLAG_UNFILTERED, FM_NOTE_FILTER_TRIED},
        {FM_FLAG_IO_URING, FM_NOTE_IO_URING},
        {FM_FLAG_UNSEEN_MPI, FM_NOTE_UNSEEN_MPI},
    };
    struct fm_range range;
    struct fm_rankset ranks = fm_segment_reader_ranks(r, &range);
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (counted[i].amount && !fm_profile_note(r->profile, counted[i].code, "", counted[i].amount, &ranks))
            return false;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (h->flags & flags[i].flag && !fm_profile_note(r->profile, flags[i].code, "", 0, &ranks))
            return false;
    return note_settings(r, &ranks);
}

/* ---- the whole segment ---- */

static enum fm_status read_all(struct fm_segment_reader *r, enum fm_end end, int end_code, uint64_t now_mono_ns)
{
    enum fm_status status = read_times(r, now_mono_ns);
    read_end(r, end, end_code);
    if (!status && !(fm_read_routine_names(r) && fm_read_load_modules(r, &r->modules)))
        status = fm_segment_reader_no_memory(r);
    if (!status)
        status = fm_read_regions(r);
    if (!status)
        status = fm_read_events(r);
    if (!status)
        status = fm_read_successions(r);
    if (!status)
        status = fm_read_files(r);
    if (!status)
        status = fm_read_counters(r);
    if (!status)
        status = fm_read_paths(r);
    if (!status)
        status = fm_read_snapshots(r);
    if (!status)
        status = fm_read_timers(r);
    if (!status)
        status = fm_read_spans(r);
    if (!status && !(read_job(r) && read_process(r) && read_notes(r)))
        status = fm_segment_reader_no_memory(r);
    return status;
}

static enum fm_status finish(struct fm_segment_reader *r, enum fm_status status, struct fm_profile **profile)
{
    fm_arena_destroy(&r->view.scratch);
    if (status)
        fm_profile_destroy(r->profile);
    else
        *profile = r->profile;
    return status;
}

static enum fm_status begin(struct fm_segment_reader *r, const void *bytes, size_t size, const char *origin)
{
    enum fm_status status = fm_segment_view_open(&r->view, bytes, size, origin, r->error);
    if (status)
        return status;
    r->rank = r->view.header.rank < 0 ? FM_NO_RANK : (uint32_t)r->view.header.rank;
    r->profile = fm_profile_create_from(r->view.scratch.spare);
    if (!r->profile)
        return fm_segment_reader_no_memory(r);
    r->profile->left_out = fm_segment_left_out(&r->view.header);
    return FM_OK;
}

enum fm_status fm_profile_from_segment(struct fm_arena *spare, const void *bytes, size_t size, const char *origin,
                                       enum fm_end end, int end_code, uint64_t now_mono_ns, struct fm_profile **profile,
                                       struct fm_error *error)
{
    struct fm_segment_reader r = {.error = error, .view.scratch.spare = spare};
    enum fm_status status = begin(&r, bytes, size, origin);
    if (!status)
        status = read_all(&r, end, end_code, now_mono_ns);
    return finish(&r, status, profile);
}

enum fm_status fm_timers_from_segment(const void *bytes, size_t size, const char *origin, uint32_t rank,
                                      uint64_t now_mono_ns, struct fm_profile **profile, struct fm_error *error)
{
    struct fm_segment_reader r = {.error = error};
    enum fm_status status = begin(&r, bytes, size, origin);
    r.rank = rank;
    if (!status)
        status = read_times(&r, now_mono_ns);
    if (!status)
        status = fm_read_timers(&r);
    return finish(&r, status, profile);
}
