// SPDX-License-Identifier: BSD-3-Clause
// A tree of call paths with everything that belongs to it: search, buttons, columns, the table and the flame graph. What is
// shown in the table depends on the page: one profile, or a comparison of several.
import type { ComponentChildren } from 'preact';
import { useCallback, useLayoutEffect, useMemo } from 'preact/hooks';

import { param, setParam } from '../state';
import { ColumnMenu } from './column_menu';
import { type Colours, FlamePanel } from './flame_panel';
import { type AddressOptions, useTreeAddress } from './tree_address';
import { derivedColumns, derivedText, labelOf, parseDerived, placeOf, titleOf } from './tree_columns';
import { SearchField, useSearch } from './tree_search';
import type { TreeState } from './tree_state';
import { type TreeColumn, TreeTable } from './tree_table';

/** What parts of a page may do with the tree, as the reader. */
export interface Reader {
    select: (node: number) => void;
    /** The same, with the row in sight. */
    goTo: (node: number) => void;
    /** The address is to be written. */
    touch: () => void;
}

export interface Tab {
    name: string;
    title: string;
    about?: string;
    address: string;
}

interface Props {
    state: TreeState;
    title: string;
    tabs: Tab[];
    tab: string;
    /** Below the title. */
    notes?: ComponentChildren;
    /** Of the table: its name, what it is, and the heading of its first column. */
    name: string;
    caption: string;
    heading: string;
    columns: TreeColumn[];
    /** Those that are shown unless the reader has chosen. */
    usual: string[];
    /** The column that is the tree's own order. */
    usualSort: string;
    address: AddressOptions;
    /** The reader has selected a node. */
    onSelected?: () => void;
    hot: { title: string; about: string };
    /** Behind the name of a node. */
    remark?: (node: number) => ComponentChildren;
    rowClass?: (node: number) => string;
    /** Beside the table. */
    source?: (reader: Reader) => ComponentChildren;
    beside?: boolean;
    below?: ComponentChildren;
    colours: Colours;
    describe?: (node: number) => string;
    flame: boolean;
    flameTools?: ComponentChildren;
}

export function TreePage(props: Props) {
    const { state, title, tabs, usualSort, hot } = props;
    const { tree } = state;
    void tree.version.value;
    const weight = useCallback((node: number) => tree.weight(node), [tree]);
    const { zoom, onZoom, touch, onSelect } = useTreeAddress(state, props.address);
    const reader: Reader = {
        touch,
        select: (node) => {
            props.onSelected?.();
            onSelect(node);
        },
        goTo: (node) => {
            reader.select(node);
            state.openTo(node);
        },
    };
    const selected = state.selected.value;

    // ---- columns and order ----
    const sort = param('sort') || usualSort;
    const up = param('up') === '1';
    const derived = useMemo(() => parseDerived(param('derived')), [param('derived')]);
    const { all, problems } = useMemo(() => {
        const made = derivedColumns(tree, derived);
        return { all: [...props.columns, ...made.columns], problems: made.problems };
    }, [tree, props.columns, derived, tree.version.value]);
    const isDerived = (key: string) => key[0] === '=';
    const keys = param('cols') ? param('cols').split(',') : [...props.usual, ...all.map(({ key }) => key).filter(isDerived)];
    useLayoutEffect(() => {
        const usual = sort === usualSort && !up;
        const column = all.find(({ key }) => key === sort);
        const by = sort === 'name' ? (node: number) => tree.textRank(tree.name[node]) : (column?.value ?? null);
        state.sort(usual || !by ? '' : `${sort} ${param('derived')} ${param('ranks')}`, usual ? null : by, up);
    }, [state, all, sort, up]);

    const search = useSearch(state, param('q'));
    const withPlace = keys.includes('place');
    return (
        <>
            <div class="paths-top">
                <h2>{title}</h2>
                <ul class="tabs" aria-label="Trees">
                    {tabs.map(({ name, title: text, about, address }) => (
                        <li key={name}>
                            <a href={address} title={about} aria-current={name === props.tab ? 'true' : undefined}>
                                {text}
                            </a>
                        </li>
                    ))}
                </ul>
                <SearchField state={state} search={search} onSearch={(q) => setParam({ q })} onHit={reader.goTo} />
            </div>
            {props.notes}
            {problems.concat(tree.problem.value || []).map((text) => (
                <p class="problem" aria-live="polite" key={text}>
                    {text}
                </p>
            ))}
            <div class="tools">
                <button type="button" title={hot.about} onClick={() => void state.hotPath(tree.children[selected] ? selected : 0, props.address.weight).then(reader.select)}>
                    {hot.title}
                </button>
                <button
                    type="button"
                    disabled={!tree.children[selected]}
                    onClick={() => {
                        touch();
                        void state.openBelow(selected);
                    }}
                >
                    Expand all below
                </button>
                <button
                    type="button"
                    disabled={!tree.children[selected]}
                    onClick={() => {
                        touch();
                        state.closeBelow(selected);
                    }}
                >
                    Collapse all below
                </button>
                {props.flame && (
                    <button type="button" onClick={() => onZoom(selected)}>
                        Into the flame graph
                    </button>
                )}
                <ColumnMenu
                    tree={tree}
                    all={all}
                    shown={keys}
                    derived={derived}
                    onShown={(list) => setParam({ cols: list.join(',') })}
                    onDerived={(list) =>
                        setParam({
                            derived: derivedText(list),
                            cols: param('cols') && [...param('cols').split(',').filter((key) => !isDerived(key)), ...list.map(({ name }) => `=${name}`)].join(','),
                        })
                    }
                />
                {state.message.value && (
                    <span class="quiet" role="status">
                        {state.message.value}
                    </span>
                )}
            </div>
            <div class={props.beside ? 'panes' : 'panes single'}>
                <TreeTable
                    name={props.name}
                    caption={props.caption}
                    heading={props.heading}
                    state={state}
                    columns={all.filter(({ key }) => keys.includes(key))}
                    sort={sort}
                    up={up}
                    onSort={(key, rising) => setParam({ sort: key === usualSort ? '' : key, up: rising ? '1' : '' })}
                    label={(node) => {
                        const label = labelOf(tree, node);
                        const at = withPlace ? '' : placeOf(tree, node);
                        return (
                            <>
                                {label.slice(0, 400)}
                                {at && !label.includes(at) && <span class="quiet"> at {at}</span>}
                                {props.remark?.(node)}
                            </>
                        );
                    }}
                    title={(node) => titleOf(tree, node)}
                    onSelect={reader.select}
                    onActivate={(node) => {
                        reader.select(node);
                        onZoom(node);
                    }}
                    rowClass={(node) => `${tree.kindOf(node) === 'routine' ? 'routine ' : ''}${search.matches?.(node) ? 'hit ' : ''}${props.rowClass?.(node) ?? ''}`}
                />
                {props.source?.(reader)}
            </div>
            {props.below}
            {props.flame && (
                <FlamePanel
                    tree={tree}
                    root={zoom}
                    selected={selected}
                    hit={search.matches}
                    colours={props.colours}
                    weight={weight}
                    describe={props.describe}
                    onSelect={reader.goTo}
                    onZoom={onZoom}
                    tools={props.flameTools}
                />
            )}
        </>
    );
}
