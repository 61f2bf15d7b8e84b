// SPDX-License-Identifier: BSD-3-Clause
import { useCallback, useLayoutEffect, useMemo, useState } from 'preact/hooks';

import { type Modules, moduleColour } from '../data/modules';
import type { Tree } from '../data/tree';
import { coloursOfNames } from '../parts/colours';
import { ColumnMenu } from '../parts/column_menu';
import { type Colours, FlamePanel } from '../parts/flame_panel';
import { SourcePane, type Sources } from '../parts/source_pane';
import { useProfile, useSlice } from '../parts/use_slice';
import { useTreeAddress } from '../parts/tree_address';
import { derivedColumns, derivedText, labelOf, MARKS, parseDerived, placeOf, timeColumns, titleOf } from '../parts/tree_columns';
import { SearchField, useSearch } from '../parts/tree_search';
import type { TreeState } from '../parts/tree_state';
import { TreeTable } from '../parts/tree_table';
import { param, setParam, viewAddress, viewName } from '../state';
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

function usualColumns(withSources: boolean): string[] {
    if (window.innerWidth < 700) return ['percent', 'own'];
    return withSources && window.innerWidth < 1500 ? ['percent', 'inclusive', 'own', 'place'] : ['percent', 'inclusive', 'own', 'max', 'place'];
}

interface Place {
    path: string;
    line: number;
}

export function PathsPage({ state }: { state: TreeState }) {
    const { tree } = state;
    const [place, setPlace] = useState<Place | null>(null);
    const [unfound, setUnfound] = useState('');
    const selected = state.selected.value;
    void tree.version.value;
    const { zoom, onZoom, touch, ...reader } = useTreeAddress(state, {
        here: () => viewName.peek() === 'paths' && (param('tree') || 'calls') === tree.which,
        // A link to a place, such as that of a finding.
        first: () => {
            const find = param('find');
            const path = param('source');
            const line = Number(param('line')) || 0;
            const node = find ? state.findPlace(find, path, line) : -1;
            setUnfound(find && node < 0 ? find : '');
            setPlace(path ? { path, line } : null);
            if (node >= 0) state.select(node);
            return Boolean(find);
        },
        more: { find: '', source: place?.path ?? '', line: place?.line ? String(place.line) : '' },
    });
    const onSelect = useCallback(
        (node: number) => {
            setPlace(null);
            setUnfound('');
            reader.onSelect(node);
        },
        [state],
    );
    const onSelectAndOpen = useCallback(
        (node: number) => {
            onSelect(node);
            state.openTo(node);
        },
        [state],
    );

    const sources = useSlice<Sources>('sources');
    const withSources = sources.state === 'ready' && sources.data.files.length > 0;

    // ---- columns and order ----
    const usualSort = tree.which === 'callers' ? 'exclusive' : 'inclusive';
    const sort = param('sort') || usualSort;
    const up = param('up') === '1';
    const derived = useMemo(() => parseDerived(param('derived')), [param('derived')]);
    const { all, problems } = useMemo(() => {
        const made = derivedColumns(tree, derived);
        return { all: [...timeColumns(tree), ...made.columns], problems: made.problems };
    }, [tree, derived, tree.version.value]);
    const keys = param('cols') ? param('cols').split(',') : [...usualColumns(withSources), ...all.filter(({ key }) => key[0] === '=').map(({ key }) => key)];
    const columns = all.filter(({ key }) => keys.includes(key));
    useLayoutEffect(() => {
        const column = all.find(({ key }) => key === sort);
        const key = sort === 'name' ? (node: number) => tree.textRank(tree.name[node]) : (column?.value ?? null);
        state.sort(sort === usualSort && !up ? '' : `${sort} ${param('derived')}`, sort === usualSort && !up ? null : key, up);
    }, [state, all, sort, up]);

    // ---- search ----
    const search = useSearch(state, param('q'));
    const hit = useMemo(() => (search.flags ? (node: number) => search.flags![node] === 1 : null), [search]);

    const executable = basename(useProfile().summary.job.executable);
    const by = param('colour') || 'file';
    const modules = useSlice<{ modules: Modules | null }>('modules');
    const given = useMemo(() => {
        const list = (modules.state === 'ready' && modules.data.modules?.list) || [];
        return new Map(list.filter(({ colour }) => colour < OTHER).map(({ name, colour }) => [name, moduleColour(name, colour)]));
    }, [modules]);
    const colours = useMemo(() => coloursBy(tree, by, executable, given), [tree, by, executable, given, tree.version.value]);
    const weight = useCallback((node: number) => tree.weight(node), [tree]);

    const shownPlace = place ?? {
        path: tree.text(tree.path[selected]) || tree.text(tree.defined[selected]),
        line: tree.text(tree.path[selected]) ? tree.line[selected] : 0,
    };
    const withPlace = keys.includes('place');
    const { head } = tree;
    const whole = tree.get('inclusive', 0);
    return (
        <div class="paths">
            <div class="paths-top">
                <h2>Call paths</h2>
                <ul class="tabs" aria-label="Trees">
                    {Object.entries(TITLES).map(([name, title]) => (
                        <li key={name}>
                            <a
                                href={viewAddress('paths', { tree: name === 'calls' ? '' : name, q: param('q'), cols: param('cols'), derived: param('derived') })}
                                title={ABOUT[name]}
                                aria-current={name === tree.which ? 'true' : undefined}
                            >
                                {title}
                            </a>
                        </li>
                    ))}
                </ul>
                <SearchField state={state} search={search} onSearch={(q) => setParam({ q })} onHit={onSelectAndOpen} />
            </div>
            <p class="quiet about">
                {ABOUT[tree.which]}. {head.samples !== null && <>{count(head.samples)} samples represent {seconds(head.time_s)} over all ranks and threads</>}
                {head.left_out_s ? `; ${seconds(head.left_out_s)} in internal threads of MPI are left out` : ''}
                {head.complete_fraction !== null && head.complete_fraction < 0.995 ? `; ${percent(1 - head.complete_fraction)} of the stacks are incomplete` : ''}.
            </p>
            {param('ranks') && <p class="quiet about">Times are those of all ranks: profiles have call paths per rank only as least, largest and mean time.</p>}
            {unfound && (
                <p class="problem" aria-live="polite">
                    '<bdi>{unfound.slice(0, 100)}</bdi>' is in no sampled call path{tree.whole ? '' : ' that is loaded'}.
                </p>
            )}
            {problems.concat(tree.problem.value || [], state.message.value || []).map((text) => (
                <p class="problem" aria-live="polite" key={text}>
                    {text}
                </p>
            ))}
            <div class="tools">
                <button type="button" title="Follows the heaviest child as long as it has at least half of the time of its parent" onClick={() => void state.hotPath(tree.children[selected] ? selected : 0).then(onSelect)}>
                    Hot path
                </button>
                <button
                    type="button"
                    onClick={() => {
                        touch();
                        void state.openBelow(selected);
                    }}
                >
                    Expand all below
                </button>
                <button
                    type="button"
                    onClick={() => {
                        touch();
                        state.closeBelow(selected);
                    }}
                >
                    Collapse all below
                </button>
                <button type="button" onClick={() => onZoom(selected)}>
                    Into the flame graph
                </button>
                <ColumnMenu
                    tree={tree}
                    all={all}
                    shown={keys}
                    derived={derived}
                    onShown={(list) => setParam({ cols: list.join(',') })}
                    onDerived={(list) => setParam({ derived: derivedText(list), cols: param('cols') && [...param('cols').split(',').filter((key) => key[0] !== '='), ...list.map(({ name }) => `=${name}`)].join(',') })}
                />
            </div>
            <div class={withSources ? 'panes' : 'panes single'}>
                <TreeTable
                    name={`tree-${tree.which}`}
                    caption={`Call paths: ${ABOUT[tree.which]}`}
                    heading={HEADINGS[tree.which]}
                    state={state}
                    columns={columns}
                    sort={sort}
                    up={up}
                    onSort={(key, rising) => setParam({ sort: key === usualSort ? '' : key, up: rising ? '1' : '' })}
                    label={(node) => {
                        const label = labelOf(tree, node);
                        const at = withPlace ? '' : placeOf(tree, node);
                        const kind = tree.kindOf(node);
                        return (
                            <>
                                {label.slice(0, 400)}
                                {at && !label.includes(at) && <span class="quiet"> at {at}</span>}
                                {kind === 'statement' && tree.which === 'callers' && <span class="quiet"> {tree.nameOf(node).slice(0, 100)}</span>}
                            </>
                        );
                    }}
                    title={(node) => titleOf(tree, node)}
                    onSelect={onSelect}
                    onActivate={(node) => {
                        onSelect(node);
                        onZoom(node);
                    }}
                    rowClass={(node) => `${tree.kindOf(node) === 'routine' ? 'routine' : ''}${search.flags?.[node] ? ' hit' : ''}`}
                />
                <SourcePane
                    path={shownPlace.path}
                    line={shownPlace.line}
                    whole_s={whole}
                    onLine={(line) => {
                        const node = state.findPlace('', shownPlace.path, line);
                        if (node >= 0) onSelectAndOpen(node);
                        touch();
                        setPlace({ path: shownPlace.path, line });
                    }}
                />
            </div>
            <Selected tree={tree} node={selected} whole={whole} />
            <FlamePanel
                tree={tree}
                root={zoom}
                selected={selected}
                hit={hit}
                colours={colours}
                weight={weight}
                onSelect={onSelectAndOpen}
                onZoom={onZoom}
                tools={
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

/** The selected node in one sentence: what it costs, and how that is spread over ranks. */
function Selected({ tree, node, whole }: { tree: Tree; node: number; whole: number }) {
    const get = (key: string) => tree.get(key, node);
    const known = (key: string) => !Number.isNaN(get(key));
    const rank = (of: Int32Array) => (of[node] >= 0 ? ` (rank ${of[node]})` : '');
    return (
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
    );
}
