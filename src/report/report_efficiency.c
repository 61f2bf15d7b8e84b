/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_efficiency.h"

#include "report/report_calls.h"
#include "report/report_estimates.h"

/* The tree is made only if there are more threads than processes. A focus would leave out some of them. */
static enum fm_status find_threads(struct fm_report *report, struct fm_thread_use *threads, struct fm_error *error)
{
    const struct fm_summary *summary = &report->summary;
    const struct fm_call_paths *paths = &report->profile->paths;
    struct fm_calltree calls;
    if (!fm_report_sampled(report) || report->options.focus || paths->nodes[0].all.sum_ns <= summary->wall_sum_ns)
        return FM_OK;
    enum fm_status status = fm_report_calltree(report, FM_CALLTREE_PROGRAM, &calls, error);
    if (!status)
        *threads = fm_thread_use_find(&calls, paths->period_ns[1], summary->wall_sum_ns,
                                      fm_outside_spread(report->profile).sum);
    return status;
}

enum fm_status fm_report_efficiency(struct fm_report *report, struct fm_report_efficiency *efficiency,
                                    struct fm_error *error)
{
    const struct fm_transfer_source calibrated = {fm_report_transfer, report};
    *efficiency = (struct fm_report_efficiency){.calibrated = report->options.calibration};
    enum fm_status status = fm_efficiency_find(report->profile, report->options.from_first,
                                               efficiency->calibrated ? &calibrated : NULL, &report->arena,
                                               &efficiency->of, error);
    return status ? status : find_threads(report, &efficiency->threads, error);
}

double fm_hybrid_efficiency(const struct fm_report_efficiency *efficiency)
{
    return efficiency->of.run.parallel * (efficiency->threads.known ? efficiency->threads.efficiency : 1);
}
