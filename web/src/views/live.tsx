// SPDX-License-Identifier: BSD-3-Clause
// A job that runs: the shares of its modules so far with their confidence intervals, and findings so far. The other views
// show what it has measured until now.
import { type LiveShares, useProfile } from '../parts/use_slice';
import { viewAddress } from '../state';
import { count, percent, percentFine, plural, seconds } from '../text/units';

const MODULES = 12;
/** Half the width of an interval that is narrow enough for most questions. */
const ENOUGH = 0.01;

export function LiveView() {
    const { live, summary } = useProfile();
    if (!live) return <p class="quiet">The job has ended.</p>;
    return (
        <>
            <h2>
                Running for {seconds(live.seconds)} <small>on {plural(summary.job.ranks, 'rank')}; the figures are those until now</small>
            </h2>
            {live.live ? (
                <Shares shares={live.live} />
            ) : (
                <p class="quiet">The job takes no samples (--sample off), so shares of modules are unknown.</p>
            )}
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
