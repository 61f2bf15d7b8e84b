// SPDX-License-Identifier: BSD-3-Clause
// The modules of the program: their sequence over time, the calls between them with what they wait, and their shares.
import { useMemo } from 'preact/hooks';

import { type Box, layOut, type Module, moduleColour, type ModuleCost, type ModuleNode, type Modules, type Sequence, total } from '../data/modules';
import { ChartFrame } from '../parts/chart';
import { SliceView } from '../parts/slice_view';
import { type Column, Table } from '../parts/table';
import { useProfile } from '../parts/use_slice';
import { useWidth } from '../parts/use_box';
import { param, selectedRanks, setParam } from '../state';
import { percent, percentFine, seconds } from '../text/units';
import { SequenceChart } from './sequence';

/** Notes that say why nothing was sampled. */
const REASONS = ['unsampled-threads', 'no-samples-debugger', 'no-samples-io-uring', 'no-samples-seccomp', 'no-samples-seccomp-tried'];

export function ModulesView() {
    const { job } = useProfile().summary;
    const reason = job.notes.find(({ code }) => REASONS.includes(code))?.text ?? 'run again without --sample off';
    const unsampled = (
        <>
            No call paths were sampled; <bdi>{reason}</bdi>.
        </>
    );
    return (
        <>
            <h2>Modules</h2>
            <SliceView<{ modules: Modules | null }> name="modules" missing={unsampled}>
                {({ modules }) => (
                    <>
                        {modules && total(modules.tree) > 0 ? <Sentence modules={modules} /> : <p class="calm">{unsampled}</p>}
                        <SliceView<{ sequence: Sequence | null }> name="sequence">
                            {({ sequence }) =>
                                sequence ? (
                                    <SequenceChart sequence={sequence} modules={modules} />
                                ) : (
                                    <p class="quiet">
                                        No sequence was recorded: sampling was off (--sample off), or the profile is from an older version of Fathom.
                                    </p>
                                )
                            }
                        </SliceView>
                        {modules && total(modules.tree) > 0 && (
                            <>
                                {selectedRanks.value.length > 0 && (
                                    <p class="quiet" data-part="of-all-ranks">
                                        In the sequence, ranks that are not selected are pale. The figures below are of all ranks.
                                    </p>
                                )}
                                <Graph modules={modules} />
                                <Shares modules={modules} />
                            </>
                        )}
                    </>
                )}
            </SliceView>
        </>
    );
}

function Sentence({ modules: { tree, list } }: { modules: Modules }) {
    const whole = total(tree);
    const works = list.reduce((most, module) => (module.work_s > most.work_s ? module : most), list[0]);
    const waits = list.reduce((most, module) => (module.causes_waiting_s > most.causes_waiting_s ? module : most), list[0]);
    return (
        <p>
            Work <strong data-value="work">{percent(tree.work_s / whole)}</strong>
            {works.work_s > 0 && (
                <>
                    , most in <bdi class="long">{works.name.slice(0, 100)}</bdi> ({percent(works.work_s / whole)})
                </>
            )}
            ; transfer <strong data-value="transfer">{percent(tree.transfer_s / whole)}</strong>; waiting{' '}
            <strong data-value="waiting">{percent(tree.waiting_s / whole)}</strong>
            {waits.causes_waiting_s > 0 && (
                <>
                    , most in calls from <bdi class="long">{waits.name.slice(0, 100)}</bdi> ({percent(waits.causes_waiting_s / whole)} of the time)
                </>
            )}
            .
        </p>
    );
}

// ---- graph ----

const LEVEL = 57;
const GAP = 5;
const LEVELS = 14;
const LEAST_PIXELS = 3;

/** The node that the address names, by the names on the way to it. */
function findNode(root: ModuleNode, path: string): ModuleNode {
    let node = root;
    for (const name of path ? path.split('\n') : []) {
        const next = node.children.find((child) => child.name === name);
        if (!next) return root;
        node = next;
    }
    return node;
}

function pathOf(box: Box | null): string[] {
    const names: string[] = [];
    for (; box?.parent; box = box.parent) names.unshift(box.node.name);
    return names;
}

function Graph({ modules }: { modules: Modules }) {
    const [box, measured] = useWidth<HTMLDivElement>();
    const width = measured || 800;
    const path = param('below');
    const root = findNode(modules.tree, path);
    const below = root === modules.tree ? [] : path.split('\n');
    const whole = total(modules.tree);
    const colours = useMemo(() => new Map(modules.list.map(({ name, colour }) => [name, moduleColour(name, colour)])), [modules]);
    const { boxes, depth, left_out } = useMemo(() => layOut(root, LEAST_PIXELS / width), [root, width]);
    const levels = Math.min(depth, LEVELS);
    const go = (names: string[]) => setParam({ below: names.join('\n') });
    return (
        <ChartFrame
            name="modules"
            title="Calls between modules"
            caption={
                <>
                    Callers are above what they call. The width of a box is its inclusive time, the bar in it how much of that is work, transfer and [waiting];
                    the edge at the top has the colour of the module. Click a box to enlarge it.
                </>
            }
            table={() => <TreeTable root={root} whole={whole} />}
            tools={
                <>
                    {below.length > 0 && (
                        <button type="button" onClick={() => go(below.slice(0, -1))}>
                            Back to {below.length > 1 ? <bdi>{below[below.length - 2].slice(0, 40)}</bdi> : 'all modules'}
                        </button>
                    )}
                    {left_out > 0 && <span class="quiet">{left_out} boxes are too narrow to be drawn; the table has them.</span>}
                    {depth > LEVELS && <span class="quiet">The first {LEVELS} levels are drawn.</span>}
                </>
            }
        >
            <Parts />
            <div ref={box} class="graph">
                <svg width={width} height={levels * LEVEL - GAP + 2} viewBox={`0 0 ${width} ${levels * LEVEL - GAP + 2}`} role="group" aria-label="Graph of calls between modules" font-family="system-ui, sans-serif" font-size="12">
                    {boxes
                        .filter((drawn) => drawn.depth < LEVELS)
                        .map((drawn, i) => (
                            <GraphBox
                                key={i}
                                box={drawn}
                                width={width}
                                whole={whole}
                                property={colours.get(drawn.node.name) ?? '--other'}
                                enlarge={drawn.parent && drawn.node.children.length > 0 ? () => go([...below, ...pathOf(drawn)]) : null}
                            />
                        ))}
                </svg>
            </div>
        </ChartFrame>
    );
}

function Parts() {
    return (
        <ul class="legend">
            <li>
                <span class="swatch part-program" aria-hidden="true" />
                work
            </li>
            <li>
                <span class="swatch part-transfer" aria-hidden="true" />
                transfer
            </li>
            <li>
                <span class="swatch part-waiting" aria-hidden="true" />
                waiting
            </li>
        </ul>
    );
}

interface BoxProps {
    box: Box;
    width: number;
    whole: number;
    property: string;
    enlarge: (() => void) | null;
}

function costText(cost: ModuleCost, whole: number): string {
    const part = (name: string, s: number) => (s > 0 ? `, ${name} ${seconds(s)} (${percentFine(s / whole)})` : '');
    return `${seconds(total(cost))} (${percentFine(total(cost) / whole)})${part('work', cost.work_s)}${part('transfer', cost.transfer_s)}${part('waiting', cost.waiting_s)}`;
}

function GraphBox({ box, width, whole, property, enlarge }: BoxProps) {
    const { node } = box;
    const x = box.from * width;
    const wide = Math.max(2, (box.to - box.from) * width - 2);
    const y = box.depth * LEVEL + 1;
    const high = LEVEL - GAP - 2;
    const cost = total(node);
    const inset = wide > 12 ? 4 : 0;
    const across = (s: number) => (cost > 0 ? (s / cost) * (wide - 2 * inset) : 0);
    const shares = [
        { part: '--program', s: node.work_s },
        { part: '--transfer', s: node.transfer_s },
        { part: '--waiting', s: node.waiting_s },
    ];
    const text = node.waiting_s > 0 ? `${percentFine(cost / whole)} [${percentFine(node.waiting_s / whole)}]` : percentFine(cost / whole);
    let at = x + 1 + inset;
    const name = node.name.slice(0, 200);
    const fits = wide > text.length * 6.6 + 6;
    const label = `${name}${fits ? ` ${text}` : ''}: ${costText(node, whole)}`;
    return (
        <g
            role={enlarge ? 'button' : 'img'}
            tabindex={enlarge ? 0 : undefined} // as SVG writes it: tabIndex is another attribute there
            aria-label={label}
            class={enlarge ? 'can-enlarge' : undefined}
            onClick={enlarge ?? undefined}
            onKeyDown={(event) => {
                if (!enlarge || (event.key !== 'Enter' && event.key !== ' ')) return;
                event.preventDefault();
                enlarge();
            }}
        >
            <title>{label}</title>
            <rect x={x + 1} y={y} width={wide} height={high} fill="var(--card)" stroke="var(--quiet)" stroke-width="0.7" />
            <rect x={x + 1} y={y} width={wide} height="6" fill={`var(${property})`} />
            {shares.map(({ part, s }) => {
                const left = at;
                at += across(s);
                return s > 0 && <rect key={part} x={left} y={y + high - 11} width={across(s)} height="7" fill={`var(${part})`} />;
            })}
            {wide > 30 && (
                <svg x={x + 1} y={y} width={wide - 2} height={high} overflow="hidden">
                    <text x="4" y="20" fill="var(--text)" font-weight="600">
                        {name}
                    </text>{' '}
                    {fits && (
                        <text x="4" y="35" fill="var(--quiet)">
                            {text}
                        </text>
                    )}
                </svg>
            )}
        </g>
    );
}

function TreeTable({ root, whole }: { root: ModuleNode; whole: number }) {
    const rows = useMemo(() => {
        const list: { node: ModuleNode; depth: number }[] = [];
        const stack = [{ node: root, depth: 0 }];
        for (let at = stack.pop(); at; at = stack.pop()) {
            list.push(at);
            const { depth } = at;
            for (const node of [...at.node.children].reverse()) stack.push({ node, depth: depth + 1 });
        }
        return list;
    }, [root]);
    return (
        <Table
            name="module-tree"
            caption="Calls between modules; all times are inclusive sums over ranks"
            rows={rows}
            columns={[
                {
                    title: 'Module',
                    text: true,
                    value: ({ node }) => node.name,
                    show: ({ node, depth }) => (
                        <span style={{ paddingLeft: `${Math.min(depth, 30) * 0.9}rem` }}>
                            <bdi>{node.name.slice(0, 200)}</bdi>
                        </span>
                    ),
                },
                { title: 'Level', value: ({ depth }) => depth },
                { title: 'Share', value: ({ node }) => total(node) / whole, show: ({ node }) => percentFine(total(node) / whole), bar: true },
                { title: 'Work', unit: 's', value: ({ node }) => node.work_s, show: ({ node }) => seconds(node.work_s) },
                { title: 'Transfer', unit: 's', value: ({ node }) => node.transfer_s, show: ({ node }) => seconds(node.transfer_s) },
                { title: 'Waiting', unit: 's', value: ({ node }) => node.waiting_s, show: ({ node }) => seconds(node.waiting_s) },
            ]}
        />
    );
}

// ---- shares ----

function Shares({ modules }: { modules: Modules }) {
    const { list, tree, idle_patterns: idle, left_out_s: left } = modules;
    const whole = total(tree);
    const largest = list.reduce((most, module) => Math.max(most, total(module)), 0);
    const columns = useMemo(() => shareColumns(whole, largest, tree.waiting_s, list.some(({ group }) => group !== null)), [modules]);
    const estimated = tree.waiting_s > 0 ? tree.waiting_estimated_s / tree.waiting_s : 0;
    return (
        <>
            <h3>Shares of modules</h3>
            <Table name="modules" caption="Exclusive times, sums over ranks; %: of the sampled time of all ranks" columns={columns} rows={list} limit={20} rowKey={({ name }) => name} rowClass={({ name }) => (name === param('module') ? 'chosen' : '')} />
            <p class="quiet">
                Work: outside MPI. Transfer: time in MPI that is not known to be waiting.
                {estimated > 0 && ` ${percent(estimated)} of the waiting is estimated: time in a collective beyond that of the fastest rank.`}
                {left > 0 && ` Excludes internal threads of the MPI library, which took ${seconds(left)}.`}
            </p>
            {idle.length > 0 && (
                <>
                    <h4>Patterns of the module file that match no sampled function</h4>
                    <ul>
                        {idle.slice(0, 100).map(({ line, module, kind, pattern }) => (
                            <li key={line}>
                                line {line}, <bdi>{module}</bdi>: {kind} <code>{pattern.slice(0, 200)}</code>
                            </li>
                        ))}
                    </ul>
                </>
            )}
        </>
    );
}

function shareColumns(whole: number, largest: number, waiting: number, grouped: boolean): Column<Module>[] {
    const time = (title: string, about: string, of: (module: Module) => number): Column<Module> => ({
        title,
        unit: 's',
        about,
        value: of,
        show: (module) => (of(module) > 0 ? <>{seconds(of(module))} <small>{percentFine(of(module) / whole)}</small></> : ''),
    });
    const columns: Column<Module>[] = [
        {
            title: 'Module',
            text: true,
            value: ({ name }) => name,
            show: ({ name, colour }) => (
                <>
                    <span class="swatch" style={{ background: `var(${moduleColour(name, colour)})` }} aria-hidden="true" />
                    <bdi class="long">{name.slice(0, 200)}</bdi>
                </>
            ),
        },
        { title: 'Exclusive', unit: 's', about: 'Work, transfer and waiting', value: (module) => total(module), show: (module) => <Stack module={module} largest={largest} /> },
        time('Work', 'Time outside MPI, without what is waiting there', (module) => module.work_s),
        time('Transfer', 'Time in MPI that is not known to be waiting', (module) => module.transfer_s),
        time('Waiting', 'In MPI and outside', (module) => module.waiting_s),
        time('Inclusive', 'With everything it calls', (module) => total(module.inclusive)),
        {
            title: 'Of waiting',
            about: 'Share of the total waiting, in calls from the module',
            value: (module) => (waiting > 0 ? module.causes_waiting_s / waiting : null),
            show: (module) => (module.causes_waiting_s > 0 ? percentFine(module.causes_waiting_s / waiting) : ''),
            bar: true,
        },
    ];
    if (grouped) columns.splice(1, 0, { title: 'Group', text: true, value: ({ group }) => group ?? '' });
    return columns;
}

function Stack({ module, largest }: { module: Module; largest: number }) {
    const parts: [string, number][] = [
        ['program', module.work_s],
        ['transfer', module.transfer_s],
        ['waiting', module.waiting_s],
    ];
    return (
        <span class="stack">
            <span class="stacked" aria-hidden="true">
                {parts.map(([part, s]) => s > 0 && largest > 0 && <span key={part} class={`part-${part}`} style={{ width: `${(100 * s) / largest}%` }} />)}
            </span>
            <span>{seconds(total(module))}</span>
        </span>
    );
}
