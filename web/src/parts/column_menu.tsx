// SPDX-License-Identifier: BSD-3-Clause
// Which columns a tree table has, and derived ones by formula.
import { useState } from 'preact/hooks';

import type { Tree } from '../data/tree';
import { parseFormula } from '../text/formula';
import { ColumnChoice, Menu } from './menu';
import { type Derived, formulaNames } from './tree_columns';
import type { TreeColumn } from './tree_table';

interface Props {
    tree: Tree;
    all: TreeColumn[];
    shown: string[];
    derived: Derived[];
    onShown: (keys: string[]) => void;
    onDerived: (list: Derived[]) => void;
}

export function ColumnMenu({ tree, all, shown, derived, onShown, onDerived }: Props) {
    const [name, setName] = useState('');
    const [formula, setFormula] = useState('');
    const [problem, setProblem] = useState('');
    const add = (event: Event) => {
        event.preventDefault();
        const title = name.trim() || formula.trim();
        const parsed = parseFormula(formula, formulaNames(tree));
        setProblem(parsed.error || (/[=;]/.test(title) ? "A name cannot have '=' or ';'." : ''));
        if (parsed.error || /[=;]/.test(title)) return;
        onDerived([...derived.filter((other) => other.name !== title), { name: title.slice(0, 30), formula: formula.trim() }]);
        setName('');
        setFormula('');
    };
    return (
        <Menu title="Columns">
            <ColumnChoice legend="Show" all={all} shown={shown} onShown={onShown} />
            <form onSubmit={add}>
                <fieldset>
                    <legend>Derived by formula</legend>
                    {derived.map((column) => (
                        <p key={column.name}>
                            <bdi>{column.name}</bdi> = <code>{column.formula}</code>{' '}
                            <button type="button" aria-label={`Remove ${column.name}`} onClick={() => onDerived(derived.filter((other) => other !== column))}>
                                ×
                            </button>
                        </p>
                    ))}
                    <p>
                        <input aria-label="Name of the column" placeholder="name" size={10} value={name} onInput={(event) => setName(event.currentTarget.value)} />
                        {' = '}
                        <input
                            aria-label="Formula"
                            placeholder="(max - avg) / total"
                            size={24}
                            value={formula}
                            aria-invalid={problem ? 'true' : undefined}
                            onInput={(event) => setFormula(event.currentTarget.value)}
                        />{' '}
                        <button type="submit">Add</button>
                    </p>
                    {problem && (
                        <p class="problem" role="alert">
                            {problem}
                        </p>
                    )}
                    <p class="quiet">Numbers, + - * / ( ), and {formulaNames(tree).join(', ')} (all time). Times are in seconds.</p>
                </fieldset>
            </form>
        </Menu>
    );
}
