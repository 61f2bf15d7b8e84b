// SPDX-License-Identifier: BSD-3-Clause
// What the analysis of all jobs found: programs that became slower or stop scaling, hosts on which programs are slow.
import { useEffect } from 'preact/hooks';

import { addressOf, param } from '../state';
import { percentFine, plural, seconds, UNKNOWN } from '../text/units';
import { Answer } from './answer';
import { type Insight, type Me, query } from './data';
import { InsightLinks } from './links';
import { moment } from './job_columns';

export const KINDS: Record<string, string> = {
    slower: 'Became slower',
    scaling: 'Stop scaling',
    'slow-host': 'Slow hosts',
};

/** Of one insight. */
const ONE: Record<string, string> = { slower: 'Slower', scaling: 'Scaling', 'slow-host': 'Slow host' };

/** Nothing is quite certain. */
function certainty(value: number): string {
    return value >= 0.9995 ? '>99.9 %' : percentFine(value);
}

export interface Insights {
    analysed_at: number | null;
    insights: Insight[];
}

export function InsightsPage({ me }: { me: Me }) {
    useEffect(() => {
        document.title = 'Insights - Fathom';
    }, []);
    const kind = KINDS[param('kind')] ? param('kind') : '';
    return (
        <>
            <h1>Insights</h1>
            <p class="quiet">
                What many jobs together show{me.staff ? '' : ' about your programs'}, most expensive first. The cost is CPU time within the time that was analysed.
            </p>
            <p class="presets">
                <a href={addressOf(['insights'])} aria-current={kind ? undefined : 'true'}>
                    All
                </a>
                {Object.entries(KINDS).map(([key, title]) =>
                    key === 'slow-host' && !me.staff ? null : (
                        <a key={key} href={addressOf(['insights'], { kind: key })} aria-current={kind === key ? 'true' : undefined}>
                            {title}
                        </a>
                    ),
                )}
            </p>
            <Answer<Insights> path={query('insights', {})}>
                {({ analysed_at, insights }) => {
                    const shown = insights.filter((insight) => !kind || insight.kind === kind);
                    return (
                        <>
                            {shown.length === 0 ? <None analysed={analysed_at} /> : <InsightItems insights={shown} />}
                            <p class="quiet">{analysed_at ? `Analysed ${moment(analysed_at)} UTC.` : ''}</p>
                        </>
                    );
                }}
            </Answer>
        </>
    );
}

function None({ analysed }: { analysed: number | null }) {
    return <p class="calm">{analysed ? 'Nothing stands out.' : 'The jobs have not been analysed yet (fathom site analyse).'}</p>;
}

export function InsightItems({ insights }: { insights: Insight[] }) {
    return (
        <ol class="insights" data-part="insights">
            {insights.map((insight, i) => (
                <li key={i} data-kind={insight.kind}>
                    <span class="kind">{ONE[insight.kind] ?? insight.kind}</span>
                    <span class="what">
                        <bdi>{insight.sentence}</bdi>
                        <br />
                        <span class="quiet">
                            {/* the sentence of the others says it */}
                            {insight.certainty !== null && insight.kind !== 'slower' ? `${certainty(insight.certainty)} certain · ` : ''}
                            <InsightLinks insight={insight} />
                        </span>
                    </span>
                    <span class="cost" title="CPU time">
                        {insight.cost_s === null ? UNKNOWN : seconds(insight.cost_s)}
                    </span>
                </li>
            ))}
        </ol>
    );
}

/** The first insights of a user, a program, or all, as a section of a page. */
export function InsightSection({ user, program, most = 6, all = true }: { user?: string; program?: string; most?: number; all?: boolean }) {
    return (
        <section class="card" aria-label="Insights">
            <h2>Insights</h2>
            <Answer<Insights> path={query('insights', { user, program })}>
                {({ analysed_at, insights }) => (
                    <>
                        {insights.length === 0 ? <None analysed={analysed_at} /> : <InsightItems insights={insights.slice(0, most)} />}
                        {all && insights.length > most && (
                            <p>
                                <a href={addressOf(['insights'])}>All {plural(insights.length, 'insight')}</a>
                            </p>
                        )}
                    </>
                )}
            </Answer>
        </section>
    );
}
