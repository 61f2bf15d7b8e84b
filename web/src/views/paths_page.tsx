// SPDX-License-Identifier: BSD-3-Clause
import { useMemo, useState } from 'preact/hooks';

import { type Modules, moduleColour } from '../data/modules';
import { NO_VALUES, RankValues, type RanksSlice } from '../data/rank_values';
import type { Tree } from '../data/tree';
import { coloursOfNames } from '../parts/colours';
import type { Colours } from '../parts/flame_panel';
import { withRankColumns } from '../parts/rank_columns';
import { SourcePane, type Sources } from '../parts/source_pane';
import { Table } from '../parts/table';
import { useProfile, useSlice } from '../parts/use_slice';
import { labelOf, MARKS, timeColumns } from '../parts/tree_columns';
import { TreePage } from '../parts/tree_page';
import type { TreeState } from '../parts/tree_state';
import { param, selectedRanks, setParam, viewAddress, viewName } from '../state';
import { basename } from '../text/names';
import { count, percent, plural, seconds } from '../text/units';

const TITLES: Record<string, string> = { calls: 'Calls', callers: 'Callers', flat: 'Flat' };
const ABOUT: Record<string, string> = {
    calls: 'From the outermost function to what it calls',
    callers: 'Every function, heaviest own time first, and below it who calls it',
    flat: 'Load modules, files, functions and lines, without who calls them',
};
const HEADINGS: Record<string, string> = { calls: 'Call path', callers: 'Function and its callers', flat: 'Module, file, function, line' };

// ---- colours of the flame graph ----

const COLOURED = 8;
const MOST_FOR_COLOURS = 200000; // nodes; names of a larger tree have colours of their own
const OTHER = 11; // the colour of modules that have none of their own

/** `given`: colours that names have in the view of modules. */
function coloursBy(tree: Tree, by: string, executable: string, given: Map<string, string>): Colours {
    const routine = tree.kinds.indexOf('routine');
    const legend = [{ name: 'MPI routines', colour: '--waiting' }];
    const version = tree.version.peek();
    const program = tree.strings.indexOf(executable);
    if (by === 'kind') {
        return {
            key: `kind ${version}`,
            legend: [...legend, { name: 'the program', colour: '--program' }, { name: 'libraries', colour: '--other' }],
            fill: (node) => (tree.kind[node] === routine ? '--waiting' : tree.module[node] === program ? '--program' : '--other'),
        };
    }
    // Files of libraries are too many for colours: their load modules stand for them.
    const of = (node: number) => {
        if (by === 'module' || tree.module[node] !== program) return tree.module[node];
        return tree.defined[node] >= 0 ? tree.defined[node] : tree.path[node];
    };
    const weights = new Map<number, number>();
    const exclusive = tree.figures.get('exclusive')!;
    for (let node = 1; node < tree.size; node++) {
        if (tree.parent[node] === -2) continue;
        const key = of(tree.kind[node] === routine ? tree.parent[node] : node);
        if (key >= 0 && exclusive[node] > 0) weights.set(key, (weights.get(key) ?? 0) + exclusive[node]);
    }
    const heaviest = [...weights].sort((a, b) => b[1] - a[1]).slice(0, COLOURED).map(([key]) => key);
    const names = coloursOfNames(heaviest.map((key) => basename(tree.text(key))), given);
    const colours = new Map(heaviest.map((key) => [key, names.get(basename(tree.text(key))) ?? '--other']));
    return {
        key: `${by} ${version} ${given.size}`,
        legend: [...legend, ...[...names].map(([name, colour]) => ({ name, colour })), { name: 'others', colour: '--other' }],
        fill: (node) => (tree.kind[node] === routine ? '--waiting' : (colours.get(of(node)) ?? '--other')),
    };
}

// ---- the page ----

function usualColumns(withSources: boolean, withRanks: boolean): string[] {
    const ofRanks = withRanks ? ['selected', 'selected_percent'] : [];
    if (window.innerWidth < 700) return withRanks ? ['selected'] : ['percent', 'own'];
    const narrow = withSources && window.innerWidth < 1500;
    if (withRanks) return [...ofRanks, ...(narrow ? ['spark'] : ['percent', 'inclusive', 'spark', 'place'])];
    return narrow ? ['percent', 'inclusive', 'spark', 'place'] : ['percent', 'inclusive', 'own', 'max', 'spark', 'place'];
}

/** Values of ranks in the tree, and of all time, which only the tree of calls always has. */
function useRankValues(which: string): { values: RankValues; whole: RankValues } {
    const own = useSlice<RanksSlice>(`tree/${which}/ranks`);
    const ofCalls = useSlice<RanksSlice>('tree/calls/ranks');
    const values = useMemo(() => (own.state === 'ready' ? new RankValues(own.data) : NO_VALUES), [own]);
    const whole = useMemo(() => (ofCalls.state === 'ready' ? new RankValues(ofCalls.data) : NO_VALUES), [ofCalls]);
    return { values, whole };
}

interface Place {
    path: string;
    line: number;
    /** The node whose source it is. */
    node: number;
}

const NOWHERE: Place = { path: '', line: 0, node: -1 };

/** The source of a node, or of the nearest node above it that has one: calls often end in libraries without source. `files` are
 * those whose text can be shown; without such a file any one that is known. */
function sourceOf(tree: Tree, selected: number, files: Set<string>): Place {
    let known = NOWHERE;
    for (let node = selected; node > 0; node = tree.parent[node]) {
        const path = tree.text(tree.path[node]);
        const defined = tree.text(tree.defined[node]);
        if (files.has(path)) return { path, line: tree.line[node], node };
        if (files.has(defined)) return { path: defined, line: 0, node };
        if (!known.path && (path || defined)) known = { path: path || defined, line: path ? tree.line[node] : 0, node };
    }
    return known;
}

export function PathsPage({ state }: { state: TreeState }) {
    const { tree } = state;
    const { which } = tree;
    const [place, setPlace] = useState<Place | null>(null);
    const [unfound, setUnfound] = useState('');
    const selected = state.selected.value;
    void tree.version.value;
    if (!tree.has(selected)) void tree.filled.value; // it is being loaded
    // A link to a place, such as that of a finding.
    const first = async () => {
        const find = param('find');
        const path = param('source');
        const line = Number(param('line')) || 0;
        const node = find ? await state.locate(find, path, line) : -1;
        setUnfound(find && node < 0 ? find : '');
        setPlace(path ? { path, line, node } : null);
        if (node >= 0) state.select(node);
        return Boolean(find);
    };

    const sources = useSlice<Sources>('sources');
    const files = useMemo(() => new Set(sources.state === 'ready' ? sources.data.files.map(({ path }) => path) : []), [sources]);
    const { values, whole } = useRankValues(which);
    const ranges = selectedRanks.value;
    const chosen = useMemo(() => values.select(ranges), [values, ranges]);
    const columns = useMemo(() => withRankColumns(timeColumns(tree), values, whole, chosen), [tree, values, whole, chosen, tree.version.value]);

    const executable = basename(useProfile().summary.job.executable);
    const by = param('colour') || 'file';
    // Of a very large tree it has many megabytes, and a server makes nothing else of the profile meanwhile.
    const modules = useSlice<{ modules: Modules | null }>(tree.size > MOST_FOR_COLOURS ? '' : 'modules');
    const given = useMemo(() => {
        const list = (modules.state === 'ready' && modules.data.modules?.list) || [];
        return new Map(list.filter(({ colour }) => colour < OTHER).map(({ name, colour }) => [name, moduleColour(name, colour)]));
    }, [modules]);
    const colours = useMemo(() => coloursBy(tree, by, executable, given), [tree, by, executable, given, tree.version.value]);

    const shownPlace = place ?? sourceOf(tree, selected, files);
    const ofAbove = shownPlace.node >= 0 && shownPlace.node !== selected && !place;
    const all_s = tree.get('inclusive', 0);
    return (
        <div class="paths">
            <TreePage
                state={state}
                title="Call paths"
                tabs={Object.entries(TITLES).map(([name, title]) => ({
                    name,
                    title,
                    about: ABOUT[name],
                    address: viewAddress('paths', { tree: name === 'calls' ? '' : name, q: param('q'), cols: param('cols'), derived: param('derived') }),
                }))}
                tab={which}
                notes={
                    <>
                        <About tree={tree} />
                        {ranges.length > 0 && <OfRanks values={values} chosen={chosen} size={tree.size} />}
                        {unfound && (
                            <p class="problem" aria-live="polite">
                                '<bdi>{unfound.slice(0, 100)}</bdi>' is in no sampled call path.
                            </p>
                        )}
                    </>
                }
                name={`tree-${which}`}
                caption={`Call paths: ${ABOUT[which]}`}
                heading={HEADINGS[which]}
                columns={columns}
                usual={usualColumns(files.size > 0, chosen !== null)}
                usualSort={which === 'callers' ? 'exclusive' : 'inclusive'}
                address={{
                    here: () => viewName.peek() === 'paths' && (param('tree') || 'calls') === which,
                    first,
                    more: { find: '', source: place?.path ?? '', line: place?.line ? String(place.line) : '' },
                }}
                onSelected={() => {
                    setPlace(null);
                    setUnfound('');
                }}
                hot={{ title: 'Hot path', about: 'Follows the heaviest child as long as it has at least half of the time of its parent' }}
                remark={(node) =>
                    tree.kindOf(node) === 'statement' && which === 'callers' && <span class="quiet"> {tree.nameOf(node).slice(0, 100)}</span>
                }
                rowClass={(node) => (ofAbove && node === shownPlace.node ? 'source-row' : '')}
                beside={files.size > 0}
                source={(reader) => (
                    <SourcePane
                        path={shownPlace.path}
                        line={shownPlace.line}
                        of={ofAbove ? labelOf(tree, shownPlace.node) : ''}
                        whole_s={all_s}
                        onLine={(line) => {
                            const { path } = shownPlace;
                            void state.locate('', path, line).then((node) => {
                                if (node >= 0) reader.goTo(node);
                                reader.touch();
                                setPlace({ path, line, node });
                            });
                        }}
                    />
                )}
                below={tree.has(selected) && <Selected tree={tree} node={selected} whole={all_s} values={values} />}
                colours={colours}
                flame
                flameTools={
                    <label>
                        Colours{' '}
                        <select value={by} onChange={(event) => setParam({ colour: event.currentTarget.value === 'file' ? '' : event.currentTarget.value })}>
                            <option value="file">by source file</option>
                            <option value="module">by load module</option>
                            <option value="kind">by kind</option>
                        </select>
                    </label>
                }
            />
            <p class="quiet small">{MARKS}</p>
        </div>
    );
}

function About({ tree: { which, head } }: { tree: Tree }) {
    return (
        <p class="quiet about">
            {ABOUT[which]}. {head.samples !== null && <>{count(head.samples)} samples represent {seconds(head.time_s)} over all ranks and threads</>}
            {head.left_out_s ? `; ${seconds(head.left_out_s)} in internal threads of MPI are left out` : ''}
            {head.complete_fraction !== null && head.complete_fraction < 0.995 ? `; ${percent(1 - head.complete_fraction)} of the stacks are incomplete` : ''}.
        </p>
    );
}

/** What a selection of ranks changes here. */
function OfRanks({ values, chosen, size }: { values: RankValues; chosen: number[] | null; size: number }) {
    return (
        <p class="about" data-part="of-ranks">
            {chosen
                ? `${plural(chosen.length, 'rank')} selected: "Selected ranks" is their time, known for ${count(values.size)} of ${plural(size, 'node')}. All other figures, and the flame graph, are of all ranks.`
                : 'Times are those of all ranks: nothing is known of the selected ranks alone.'}
        </p>
    );
}

/** The selected node in one sentence: what it costs, and how that is spread over ranks. */
function Selected({ tree, node, whole, values }: { tree: Tree; node: number; whole: number; values: RankValues }) {
    const get = (key: string) => tree.get(key, node);
    const known = (key: string) => !Number.isNaN(get(key));
    const rank = (of: Int32Array) => (of[node] >= 0 ? ` (rank ${of[node]})` : '');
    const ofRanks = useMemo(() => values.values(node), [values, node]);
    return (
        <>
            <p class="selected-node" data-part="selected">
                <strong>
                    <bdi>{labelOf(tree, node).slice(0, 200)}</bdi>
                </strong>
                : {seconds(get('inclusive'))} ({percent(get('inclusive') / (whole || NaN))}), own {seconds(get('exclusive'))}
                {known('max') && node > 0 && (
                    <>
                        ; per rank {known('min') ? seconds(get('min')) : 'unknown'}
                        {rank(tree.minRank)} to {seconds(get('max'))}
                        {rank(tree.maxRank)}, mean {seconds(get('avg'))}
                    </>
                )}
                ; {plural(tree.descendants[node], 'node')} below.
            </p>
            {ofRanks && (
                <details class="node-ranks">
                    <summary>Time of each rank</summary>
                    <Table
                        name="node-ranks"
                        caption={`Time of each rank in ${labelOf(tree, node).slice(0, 100)}, with what is called, rounded as in the profile`}
                        rows={values.ranks.map((_, i) => i)}
                        rowKey={(i) => i}
                        columns={[
                            { title: 'Rank', value: (i) => values.ranks[i] },
                            {
                                title: 'Time',
                                unit: 's',
                                bar: true,
                                value: (i) => (Number.isNaN(ofRanks[i]) ? null : ofRanks[i]),
                                show: (i) => (Number.isNaN(ofRanks[i]) ? 'unknown' : `~${seconds(ofRanks[i])}`),
                            },
                        ]}
                    />
                </details>
            )}
        </>
    );
}
