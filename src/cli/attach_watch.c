/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/attach_watch.h"

#include <limits.h>
#include <stdio.h>

#include "base/clock.h"
#include "cli/attach_agents.h"
#include "cli/attach_remote.h"
#include "cli/attach_segments.h"
#include "cli/open_profile.h"
#include "format/encode.h"
#include "merge/merge.h"
#include "model/strings.h"
#include "render/text.h"

/* ---- this host ---- */

enum fm_status fm_watch_open(struct fm_watch *watch, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    if (watch->targets.n && !watch->request->outside)
        status = fm_attach_segments(&watch->targets, &watch->last, error);
    if (watch->last)
        fm_tell_left_out("attach", "the program is measured", &watch->last->left_out);
    if (watch->last && !watch->last->paths.period_ns[1]) { /* the job takes no samples itself */
        fm_profile_destroy(watch->last);
        watch->last = NULL;
    }
    if (status || watch->last || !watch->targets.n)
        return status;
    struct fm_attach_sampler_options how = {.period_ns = 1000000000u / watch->request->hz,
                                            .most_moments = (uint32_t)watch->request->moments};
    status = fm_session_open(&watch->session, &watch->targets, &how, error);
    if (status) {
        fm_session_close(&watch->session);
        watch->session = (struct fm_session){0};
    }
    return status;
}

enum fm_status fm_watch_prepare(struct fm_watch *watch, struct fm_error *error)
{
    const struct fm_attach_request *request = watch->request;
    char cache[PATH_MAX];
    struct fm_symbols_options options = {
        .debug_path = request->debug_path,
        .directory = watch->targets.n ? watch->targets.items[0].cwd : "",
        .cache = fm_symbols_cache_directory(cache, sizeof cache),
    };
    watch->symbols = fm_symbols_create(&options);
    enum fm_status status = request->save ? fm_profile_may_write(request->save, error) : FM_OK;
    if (status)
        return status;
    return request->modules ? fm_module_map_read(&watch->map, request->modules, &watch->arena, error)
                            : fm_module_map_usual(&watch->map, &watch->arena, error);
}

void fm_watch_close(struct fm_watch *watch)
{
    if (watch->session.targets)
        fm_session_close(&watch->session);
    fm_attach_result_destroy(&watch->result);
    fm_profile_destroy(watch->last);
    fm_symbols_destroy(watch->symbols);
    fm_arena_destroy(&watch->arena);
}

/* ---- gathering ---- */

static enum fm_status gather_segments(struct fm_watch *watch, struct fm_attach_result *result, struct fm_error *error)
{
    struct fm_profile *now = NULL;
    enum fm_status status = fm_attach_segments(&watch->targets, &now, error);
    if (status)
        return status;
    result->counts.living = now ? watch->targets.n : 0;
    if (now) {
        fm_profile_destroy(watch->last);
        watch->last = now;
    }
    result->whole = fm_profile_create();
    if (!result->whole)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the profile");
    return fm_profile_merge(result->whole, watch->last, error);
}

/* Makes the profiles of the batches, unless there are too few moments for them. */
static bool make_batches(const struct fm_attach_samples *samples, struct fm_attach_result *result)
{
    uint64_t moments = samples->moments;
    for (uint64_t i = 0; i < FM_BATCHES && moments >= FM_BATCHES * FM_BATCH_MIN_MOMENTS; i++) {
        result->batches[i] = fm_attach_samples_profile(samples, (uint32_t)(moments * i / FM_BATCHES),
                                                       (uint32_t)(moments * (i + 1) / FM_BATCHES));
        if (!result->batches[i])
            return false;
    }
    return true;
}

static enum fm_status gather_samples(struct fm_watch *watch, struct fm_attach_result *result, struct fm_error *error)
{
    struct fm_session *session = &watch->session;
    if (!fm_session_gather(session))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for samples");
    struct fm_held held = fm_session_held(session);
    result->counts = (struct fm_attach_result_counts){
        .moments = session->samples.moments,
        .least = session->living ? session->samples.moments : UINT64_MAX,
        .sampled = 1,
        .living = session->living,
        .stopped = session->stops,
        .held_median_ns = held.median_ns,
        .held_most_ns = held.most_ns,
    };
    result->whole = fm_attach_samples_profile(&session->samples, 0, session->samples.moments);
    if (!result->whole || !make_batches(&session->samples, result))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the profile");
    return FM_OK;
}

/* All hosts must use the same key: profiles with different keys cannot be merged. */
static bool set_key(struct fm_profile *profile, const char *key)
{
    return !profile || !profile->n_processes || (profile->job.key = fm_profile_intern(profile, key));
}

enum fm_status fm_watch_gather(struct fm_watch *watch, struct fm_attach_result *result, struct fm_error *error)
{
    const char *key = watch->request->job;
    enum fm_status status = FM_OK;
    *result = (struct fm_attach_result){.counts.least = UINT64_MAX};
    if (watch->session.targets)
        status = gather_samples(watch, result, error);
    else if (watch->last)
        status = gather_segments(watch, result, error);
    bool keyed = !key || set_key(result->whole, key);
    for (size_t i = 0; i < FM_BATCHES && key && keyed; i++)
        keyed = set_key(result->batches[i], key);
    return status || keyed ? status : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the profile");
}

enum fm_status fm_watch_look(struct fm_watch *watch, bool last, struct fm_error *error)
{
    struct fm_attach_result result = {0};
    enum fm_status status = FM_OK;
    if (watch->remote) {
        status = fm_remote_look(watch->remote, last, &result, error);
    } else {
        if (watch->agents && !fm_agents_tell(watch->agents, last ? FM_WORD_END : FM_WORD_LOOK))
            return fm_fail(error, FM_ERR_SYSTEM, "an agent on another host does not respond");
        status = fm_watch_gather(watch, &result, error);
        if (!status && watch->agents)
            status = fm_agents_collect(watch->agents, &result, error);
    }
    if (!status && result.whole) {
        fm_attach_result_destroy(&watch->result);
        watch->result = result;
        watch->ended |= !result.counts.living && !last;
        return FM_OK;
    }
    fm_attach_result_destroy(&result);
    if (status && watch->remote && watch->result.whole && watch->result.whole->paths.samples) {
        if (!watch->ended)
            fm_print_line(stderr, "fathom attach: %s; showing the samples taken until then.\n", error->text);
        status = FM_OK;
    }
    watch->ended |= !status;
    return status;
}
