// SPDX-License-Identifier: BSD-3-Clause
// What costs time, and what to do about it: findings, each with its evidence, advice, ranks and place.
import type { Finding, Summary } from '../data/types';
import { PlaceLink, RanksLink } from '../parts/links';
import { param, setParam } from '../state';
import { bytes, count, percent, seconds } from '../text/units';
import { Evidence } from './evidence';

export function Findings({ summary }: { summary: Summary }) {
    const { findings } = summary;
    if (findings.length === 0)
        return (
            <section aria-label="Findings" data-part="findings">
                <h2>Findings</h2>
                <p class="calm">Fathom found nothing that costs much time.{summary.balance_sentence && ` ${summary.balance_sentence}`}</p>
            </section>
        );
    return (
        <section aria-label="Findings" data-part="findings">
            <h2>What to do about it</h2>
            <ol class="findings">
                {findings.map((finding, i) => (
                    <FindingRow key={i} finding={finding} number={i + 1} />
                ))}
            </ol>
        </section>
    );
}

/** The numbers of the findings that are open, in the address. */
function openFindings(): Set<string> {
    return new Set(param('finding').split(',').filter(Boolean));
}

function FindingRow({ finding, number }: { finding: Finding; number: number }) {
    const open = openFindings().has(String(number));
    const toggle = (now: boolean) => {
        const all = openFindings();
        if (now === all.has(String(number))) return;
        if (now) all.add(String(number));
        else all.delete(String(number));
        setParam({ finding: [...all].sort((a, b) => Number(a) - Number(b)).join(',') });
    };
    return (
        <li>
            <details open={open} onToggle={(event) => toggle(event.currentTarget.open)}>
                <summary>
                    <span class="what">{finding.text}</span>
                </summary>
                <div class="evidence">
                    <p>
                        <strong>What to try:</strong> {finding.advice}
                    </p>
                    {finding.trace && <p>{finding.trace}</p>}
                    {open && <Evidence finding={finding} number={number} />}
                    <p>
                        {finding.ranks && (
                            <>
                                Select <RanksLink ranks={finding.ranks} /> ·{' '}
                            </>
                        )}
                        {(finding.file || finding.function) && (
                            <>
                                call path: <PlaceLink {...finding} /> ·{' '}
                            </>
                        )}
                        rule <code>{finding.rule}</code> · {finding.measured ? 'the cost is measured' : 'the cost is estimated'}
                    </p>
                    <dl class="facts small">
                        {Object.entries(finding.evidence).map(([name, value]) => (
                            <div key={name}>
                                <dt>{name.replace(/_(s|ns|bytes|fraction)$/, '').replace(/_/g, ' ')}</dt>
                                <dd>{evidenceText(name, value)}</dd>
                            </div>
                        ))}
                    </dl>
                </div>
            </details>
            <span class="place">{(finding.file || finding.function) && <PlaceLink {...finding} />}</span>
            <span class="cost">
                {finding.cost_s > 0 ? (
                    <>
                        <strong>{seconds(finding.cost_s)}</strong> {percent(finding.cost_fraction)}
                    </>
                ) : (
                    <span class="quiet">no time</span>
                )}
            </span>
        </li>
    );
}

function evidenceText(name: string, value: number | string | null): string {
    if (value === null) return 'unknown';
    if (typeof value === 'string') return value;
    if (name.endsWith('_s')) return seconds(value);
    if (name.endsWith('_bytes')) return bytes(value);
    if (name.endsWith('fraction')) return percent(value);
    return Number.isInteger(value) || value >= 1000 ? count(Math.round(value)) : String(Number(value.toPrecision(3)));
}
