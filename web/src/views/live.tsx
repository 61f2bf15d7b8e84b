// SPDX-License-Identifier: BSD-3-Clause
// A job that runs: the shares of its modules so far with their confidence intervals, and findings so far. The other views
// show what it has measured until now.
import type { Sequence } from '../data/modules';
import { formatRanks } from '../data/rankset';
import { RanksLink } from '../parts/links';
import { SliceView } from '../parts/slice_view';
import { type LiveShares, useProfile } from '../parts/use_slice';
import { place, viewAddress } from '../state';
import { count, percent, percentFine, plural, seconds } from '../text/units';
import { SamplingState, Unseen } from './sampling';
import { SequenceChart } from './sequence';

const MODULES = 12;
/** Half the width of an interval that is narrow enough for most questions. */
const ENOUGH = 0.01;

export function LiveView() {
    const { live, summary } = useProfile();
    const [, job] = place.value;
    if (!live) return <p class="quiet">The job has ended.</p>;
    return (
        <>
            <h2>
                Running for {seconds(live.seconds)} <small>on {plural(summary.job.ranks, 'rank')}; the figures are those until now</small>
            </h2>
            {live.sampling && <SamplingState job={job} live={live} />}
            <Unseen job={job} live={live} />
            {live.live ? (
                <Shares shares={live.live} />
            ) : (
                <p class="quiet">{live.sampling?.runs ? 'No samples yet.' : 'The job takes no samples (--sample off), so shares of modules are unknown.'}</p>
            )}
            <SliceView<{ sequence: Sequence | null }> name="sequence" missing="">
                {({ sequence }) =>
                    sequence && (
                        <>
                            <States sequence={sequence} />
                            <SequenceChart sequence={sequence} modules={null} />
                        </>
                    )
                }
            </SliceView>
            <section aria-label="Findings so far">
                <h3>Findings so far</h3>
                {summary.findings.length === 0 ? (
                    <p class="quiet">None yet.</p>
                ) : (
                    <ol>
                        {summary.findings.slice(0, 5).map((finding, i) => (
                            <li key={i}>
                                {finding.text} {finding.cost_s > 0 && <strong>({percent(finding.cost_fraction)})</strong>}
                            </li>
                        ))}
                    </ol>
                )}
                <p>
                    <a href={viewAddress('overview')}>Overview so far</a> · <a href={viewAddress('balance')}>Balance so far</a>
                </p>
            </section>
        </>
    );
}

/** What each rank does, as of its latest sample: ranks in the same state together. */
function States({ sequence }: { sequence: Sequence }) {
    const states = new Map<string, number[]>();
    for (const { rank, runs } of sequence.ranks) {
        const last = [...runs].reverse().find(([module]) => module !== null);
        if (!last || last[0] === null) continue;
        const [module, waiting, , transfer] = last;
        const name = sequence.modules[module]?.name ?? 'unknown';
        const state = waiting ? `waiting, in calls from ${name}` : transfer ? `transfer, in calls from ${name}` : `working in ${name}`;
        states.set(state, [...(states.get(state) ?? []), rank]);
    }
    const sorted = [...states].sort((a, b) => b[1].length - a[1].length);
    return (
        <section aria-label="State of the ranks" data-part="states">
            <h3>
                State of the ranks{' '}
                <small>
                    at their latest samples{sequence.rank_step > 1 && `, of one rank in ${sequence.rank_step}`}
                </small>
            </h3>
            <ul>
                {sorted.slice(0, 12).map(([state, ranks]) => (
                    <li key={state}>
                        <RanksLink ranks={formatRanks(ranks)} />: <bdi>{state}</bdi>
                    </li>
                ))}
            </ul>
        </section>
    );
}

function Shares({ shares }: { shares: LiveShares }) {
    const shown = shares.modules.slice(0, MODULES);
    const widths = shown.filter((module) => module.share > 0.01).map((module) => module.interval_width);
    const known = widths.length > 0 && widths.every((width) => width !== null);
    const widest = Math.max(0, ...widths.map((width) => width ?? 1));
    return (
        <section aria-label="Shares of modules" data-part="shares">
            <p>
                {count(shares.samples)} samples: work <strong>{percent(shares.work)}</strong>, transfer{' '}
                <strong>{percent(shares.transfer)}</strong>, waiting <strong>{percent(shares.waiting)}</strong>.{' '}
                {!known
                    ? 'Confidence intervals are not known yet.'
                    : widest <= 2 * ENOUGH
                      ? 'Enough: all shares are known to +- 1 %.'
                      : `The widest 95 % confidence interval is +- ${percentFine(widest / 2)}.`}
            </p>
            <div class="shares" role="table" aria-label="Shares of modules">
                {shown.map((module) => (
                    <div class="share" role="row" key={module.name}>
                        <span class="name" role="cell" title={module.name}>
                            <bdi>{module.name}</bdi>
                        </span>
                        <span class="track" role="cell" aria-hidden="true">
                            <span class="part-program" style={{ left: 0, width: `${100 * (module.share - module.transfer - module.waiting)}%` }} />
                            <span
                                style={{
                                    background: 'var(--transfer)',
                                    left: `${100 * (module.share - module.transfer - module.waiting)}%`,
                                    width: `${100 * module.transfer}%`,
                                }}
                            />
                            <span
                                style={{ background: 'var(--waiting)', left: `${100 * (module.share - module.waiting)}%`, width: `${100 * module.waiting}%` }}
                            />
                            {module.interval_width !== null && (
                                <span
                                    class="interval"
                                    style={{
                                        left: `${100 * Math.max(0, module.share - module.interval_width / 2)}%`,
                                        width: `${100 * module.interval_width}%`,
                                    }}
                                />
                            )}
                        </span>
                        <span role="cell">
                            {percentFine(module.share)}
                            {module.interval_width !== null && <span class="quiet"> +- {percentFine(module.interval_width / 2)}</span>}
                        </span>
                    </div>
                ))}
            </div>
            <ul class="legend">
                <li>
                    <span class="swatch part-program" aria-hidden="true" />
                    work
                </li>
                <li>
                    <span class="swatch" style={{ background: 'var(--transfer)' }} aria-hidden="true" />
                    transfer
                </li>
                <li>
                    <span class="swatch" style={{ background: 'var(--waiting)' }} aria-hidden="true" />
                    waiting
                </li>
            </ul>
        </section>
    );
}
