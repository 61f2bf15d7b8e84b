/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/calibration/estimate.h"

#include <math.h>
#include <string.h>

#include "site/calibration/routines.h"

const char *const fm_estimate_flag_names[FM_ESTIMATE_FLAGS] = {"limited", "hidden", "extrapolated", "no bytes"};

/* What the messages of a job tell about the calls that wait for them. */
struct started {
    double bytes;     /* of messages that were started and received, or else sent */
    double waiting_s; /* in calls that complete them */
};

static struct started started_in(const struct fm_estimate_input *inputs, size_t n)
{
    double sent = 0, received = 0;
    struct started started = {0};
    for (size_t i = 0; i < n; i++) {
        enum fm_traffic traffic = fm_routine_meaning(inputs[i].routine).traffic;
        if (traffic == FM_TRAFFIC_SEND && inputs[i].bytes > 0)
            sent += (double)inputs[i].bytes;
        if (traffic == FM_TRAFFIC_RECEIVE && inputs[i].bytes > 0)
            received += (double)inputs[i].bytes;
        if (traffic == FM_TRAFFIC_COMPLETION)
            started.waiting_s += inputs[i].time_s;
    }
    started.bytes = received > 0 ? received : sent;
    return started;
}

/* Of ranks that are spread evenly, the share of the pairs that are on two hosts. */
static double between_hosts(const struct fm_estimate_job *job)
{
    double ranks = job->ranks, hosts = job->hosts;
    if (hosts <= 1 || ranks <= 1)
        return 0;
    return isnan(job->between) ? fmin(1, (ranks - ranks / hosts) / (ranks - 1)) : fmin(1, fmax(0, job->between));
}

static const struct fm_calibration_routine *find(const struct fm_calibration *calibration,
                                                 const struct fm_routine_meaning *meaning, enum fm_place place)
{
    const struct fm_calibration_routine *found = fm_calibration_find(calibration, meaning->name, place);
    struct fm_routine_meaning other = {.as = meaning->as};
    while (!found && *other.as) { /* Alltoallw as Alltoallv as Alltoall */
        found = fm_calibration_find(calibration, other.as, place);
        other = fm_routine_meaning(other.as);
    }
    return found;
}

struct cost {
    bool known, other_place;
    double latency_s, per_byte_s;
    uint32_t ranks_min, ranks_max;
};

static struct cost cost_at(const struct fm_calibration *calibration, const struct fm_routine_meaning *meaning,
                           enum fm_place place, double ranks)
{
    const struct fm_calibration_routine *routine = find(calibration, meaning, place);
    bool other_place = !routine;
    if (other_place)
        routine = find(calibration, meaning, place == FM_PLACE_HOST ? FM_PLACE_HOSTS : FM_PLACE_HOST);
    if (!routine)
        return (struct cost){0};
    return (struct cost){
        .known = true,
        .other_place = other_place && routine->ranks_max, /* a file without ranks does not tell places apart */
        .latency_s = fm_model_latency(&routine->model, ranks),
        .per_byte_s = fm_model_per_byte(&routine->model, ranks),
        .ranks_min = routine->ranks_min,
        .ranks_max = routine->ranks_max,
    };
}

/* Messages within and between hosts, in proportion; a collective of a job on several hosts is one between hosts. */
static struct cost cost_of(const struct fm_calibration *calibration, const struct fm_estimate_job *job,
                           const struct fm_routine_meaning *meaning, double ranks)
{
    bool collective = meaning->traffic == FM_TRAFFIC_COLLECTIVE || meaning->traffic == FM_TRAFFIC_COLLECTIVE_NOW;
    double between = collective ? job->hosts > 1 : between_hosts(job);
    struct cost cost = cost_at(calibration, meaning, between < 1 ? FM_PLACE_HOST : FM_PLACE_HOSTS, ranks);
    if (between <= 0 || between >= 1 || !cost.known)
        return cost;
    struct cost other = cost_at(calibration, meaning, FM_PLACE_HOSTS, ranks);
    cost.latency_s += between * (other.latency_s - cost.latency_s);
    cost.per_byte_s += between * (other.per_byte_s - cost.per_byte_s);
    cost.other_place |= other.other_place;
    return cost;
}

/* Latency first: a call that is shorter than it cannot have moved anything. */
static void limit(struct fm_estimate *estimate, double time_s, bool blocks)
{
    if (estimate->latency_s > time_s) {
        estimate->latency_s = time_s;
        estimate->flags |= FM_ESTIMATE_LIMITED;
    }
    if (estimate->latency_s + estimate->transfer_s > time_s) {
        if (!(estimate->flags & FM_ESTIMATE_LIMITED))
            estimate->flags |= blocks ? FM_ESTIMATE_LIMITED : FM_ESTIMATE_HIDDEN;
        estimate->transfer_s = time_s - estimate->latency_s;
    }
    estimate->synchronisation_s = fmax(0, time_s - estimate->latency_s - estimate->transfer_s);
}

static struct fm_estimate estimate_one(const struct fm_calibration *calibration, const struct fm_estimate_job *job,
                                       const struct fm_estimate_input *input, const struct started *started)
{
    struct fm_estimate estimate = {0};
    struct fm_routine_meaning meaning = fm_routine_meaning(input->routine);
    enum fm_traffic traffic = meaning.traffic;
    bool collective = traffic == FM_TRAFFIC_COLLECTIVE || traffic == FM_TRAFFIC_COLLECTIVE_NOW;
    double time_s = fmax(0, input->time_s), calls = (double)input->calls, ranks = 2;
    if (collective)
        ranks = input->comm_calls > 0 && calls > 0 ? (double)input->comm_calls / calls : job->ranks;
    if (traffic == FM_TRAFFIC_NONE || (collective && ranks < 1.5)) { /* alone, there is nobody to wait for */
        estimate.kind = FM_ESTIMATE_LOCAL;
        estimate.latency_s = time_s;
        return estimate;
    }
    struct cost cost = traffic == FM_TRAFFIC_UNKNOWN || calls < 0 ? (struct cost){0}
                                                                  : cost_of(calibration, job, &meaning, fmax(2, ranks));
    if (!cost.known)
        return estimate;
    double bytes = (double)input->bytes;
    if (traffic == FM_TRAFFIC_COMPLETION)
        bytes = started->waiting_s > 0 ? started->bytes * time_s / started->waiting_s : 0;
    estimate.kind = FM_ESTIMATE_SPLIT;
    if (cost.other_place || (collective && cost.ranks_max && (ranks < cost.ranks_min || ranks > cost.ranks_max)))
        estimate.flags |= FM_ESTIMATE_EXTRAPOLATED;
    if (bytes < 0 && cost.per_byte_s > 0)
        estimate.flags |= FM_ESTIMATE_NO_BYTES;
    estimate.call_latency_s = cost.latency_s;
    estimate.bandwidth_bytes_per_s = cost.per_byte_s > 0 ? 1 / cost.per_byte_s : 0;
    estimate.latency_s = calls * cost.latency_s;
    estimate.transfer_s = fmax(0, bytes) * cost.per_byte_s;
    limit(&estimate, time_s, traffic == FM_TRAFFIC_MESSAGE || traffic == FM_TRAFFIC_COLLECTIVE);
    return estimate;
}

void fm_estimate(const struct fm_calibration *calibration, const struct fm_estimate_job *job,
                 const struct fm_estimate_input *inputs, size_t n, struct fm_estimate *estimates)
{
    struct started started = started_in(inputs, n);
    for (size_t i = 0; i < n; i++)
        estimates[i] = estimate_one(calibration, job, &inputs[i], &started);
}

const char *fm_estimate_flags_text(unsigned flags, char text[FM_ESTIMATE_FLAGS_CHARS])
{
    *text = 0;
    for (unsigned i = 0; i < FM_ESTIMATE_FLAGS; i++)
        if (flags & 1u << i) {
            strcat(text, *text ? ", " : "");
            strcat(text, fm_estimate_flag_names[i]);
        }
    return text;
}
