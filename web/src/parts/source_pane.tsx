// SPDX-License-Identifier: BSD-3-Clause
// The text of a source file with the costs of its lines in the margin. Only the lines in sight are in the page.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { basename } from '../text/names';
import { percentFine, seconds } from '../text/units';
import { Loading } from './loading';
import { useProfile, useSlice } from './use_slice';

export interface Sources {
    files: { n: number; path: string }[];
}

export interface SourceText {
    path: string;
    text: string;
    costs?: { lines: number[]; inclusive_ns: number[]; exclusive_ns: number[] } | null;
}

interface Props {
    /** The file and the line to show; 0: no line in particular. */
    path: string;
    line: number;
    /** The caller whose source it is, if the selected function has none. */
    of?: string;
    /** All time of the tree, of which the costs are shares. */
    whole_s: number;
    onLine: (line: number) => void;
}

const ROW = 20;

export function SourcePane(props: Props) {
    const { source } = useProfile();
    const sources = useSlice<Sources>('sources');
    const how = source.server ? 'fathom serve ... --source DIR' : 'fathom report PROFILE --format html --source DIR';
    const file = sources.state === 'ready' ? sources.data.files.find(({ path }) => path === props.path) : undefined;
    return (
        <section class="source" aria-label="Source">
            <h3>
                Source{' '}
                {props.path && (
                    <bdi class="quiet" title={props.path.slice(0, 500)}>
                        {basename(props.path)}
                        {props.line ? `:${props.line}` : ''}
                    </bdi>
                )}
            </h3>
            {props.of && (
                <p class="quiet" data-part="source-of">
                    The selected function has no source here; this is <bdi>{props.of.slice(0, 100)}</bdi>, marked in the table.
                </p>
            )}
            {!props.path && <p class="quiet">Select a function or a line whose source file is known.</p>}
            {props.path && sources.state === 'loading' && <Loading />}
            {props.path && sources.state === 'failed' && <p class="problem">The source cannot be shown: {sources.error}</p>}
            {props.path && sources.state !== 'loading' && sources.state !== 'failed' && !file && (
                <p class="quiet" data-part="no-source">
                    {sources.state === 'ready' && sources.data.files.length > 0
                        ? 'The text of this file is not in the report: it is not in the directories given with --source, or it could not be read. '
                        : 'The report has no source text. '}
                    To show it, name the directory of the sources: <code>{how}</code>. The file is{' '}
                    <bdi class="path">{props.path.slice(0, 1000)}</bdi>.
                </p>
            )}
            {file && <Text key={file.n} n={file.n} {...props} />}
        </section>
    );
}

function Text({ n, line, whole_s, onLine }: Props & { n: number }) {
    const loaded = useSlice<SourceText>(`sources/${n}`);
    const box = useRef<HTMLDivElement>(null);
    const [top, setTop] = useState(0);
    const [height, setHeight] = useState(400);
    const data = loaded.state === 'ready' ? loaded.data : null;
    const lines = useMemo(() => (data ? data.text.replace(/\n$/, '').split('\n') : []), [data]);
    const costs = useMemo(() => {
        const found = new Map<number, { all: number; own: number }>();
        const from = data?.costs;
        from?.lines.forEach((at, i) => found.set(at, { all: from.inclusive_ns[i] / 1e9, own: from.exclusive_ns[i] / 1e9 }));
        return found;
    }, [data]);
    useLayoutEffect(() => {
        const element = box.current;
        if (!element) return;
        const observer = new ResizeObserver(() => setHeight(element.clientHeight));
        observer.observe(element);
        return () => observer.disconnect();
    }, [data]);
    useEffect(() => {
        const element = box.current;
        if (!element || !line) return;
        const wanted = (line - 1) * ROW;
        if (wanted < element.scrollTop + ROW || wanted > element.scrollTop + element.clientHeight - 3 * ROW)
            element.scrollTop = Math.max(0, wanted - element.clientHeight / 3);
        setTop(element.scrollTop);
    }, [line, data]);
    if (loaded.state === 'loading') return <Loading />;
    if (loaded.state === 'failed') return <p class="problem">The source cannot be shown: {loaded.error}</p>;
    if (!data) return <p class="quiet">The text of this file is not in the report.</p>;
    const from = Math.max(0, Math.floor(top / ROW) - 5);
    const to = Math.min(lines.length, from + Math.ceil(height / ROW) + 10);
    const digits = String(lines.length).length;
    const columns = `${digits + 1}ch 8ch minmax(0, 1fr)`;
    const heaviest = (step: number) => {
        const sorted = [...costs].sort((a, b) => b[1].all - a[1].all).map(([at]) => at);
        const next = sorted[(sorted.indexOf(line) + step + sorted.length) % sorted.length];
        if (next) onLine(next);
    };
    return (
        <>
            <div class="lines" ref={box} tabIndex={0} role="region" aria-label={`Text of ${basename(data.path)}`} onScroll={() => setTop(box.current?.scrollTop ?? 0)}>
                <ol style={{ height: `${lines.length * ROW}px` }}>
                    {lines.slice(from, to).map((text, i) => {
                        const number = from + i + 1;
                        const cost = costs.get(number);
                        const share = cost && whole_s > 0 ? cost.all / whole_s : 0;
                        return (
                            <li
                                key={i}
                                value={number}
                                class={number === line ? 'selected' : ''}
                                aria-current={number === line ? 'location' : undefined}
                                style={{ transform: `translateY(${(number - 1) * ROW}px)`, gridTemplateColumns: columns }}
                            >
                                <span class="number">{number}</span>
                                {cost ? (
                                    <button
                                        type="button"
                                        class="cost number"
                                        title={`${seconds(cost.all)} with what is called here, ${seconds(cost.own)} in the line itself. Click to select the heaviest call path with this line.`}
                                        onClick={() => onLine(number)}
                                    >
                                        <span class="bar" style={{ width: `${100 * Math.min(1, share)}%` }} aria-hidden="true" />
                                        <span class="content">{percentFine(share)}</span>
                                    </button>
                                ) : (
                                    <span />
                                )}
                                <code dir="ltr">{text.slice(0, 2000)}</code>
                            </li>
                        );
                    })}
                </ol>
            </div>
            {costs.size > 0 && (
                <p class="tools">
                    <span class="quiet">Share of all time, with what the line calls.</span>
                    <button type="button" onClick={() => heaviest(1)}>
                        Next heaviest line
                    </button>
                </p>
            )}
        </>
    );
}
