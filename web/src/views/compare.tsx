// SPDX-License-Identifier: BSD-3-Clause
// On the list of profiles: which ones to compare, and how.
import { useState } from 'preact/hooks';

import { addressOf } from '../state';
import { count } from '../text/units';
import { MODES } from './scale';

interface Listed {
    id: string;
    file: string;
    program: string;
    ranks: number;
}

const SHOWN = 200;

interface Props {
    profiles: Listed[];
    /** Of all of them: not repeated here. */
    directory: string;
}

export function Compare({ profiles, directory }: Props) {
    const [chosen, setChosen] = useState<string[]>([]);
    const [mode, setMode] = useState('');
    const runs = profiles.filter(({ id }) => chosen.includes(id));
    const sizes = new Set(runs.map(({ ranks }) => ranks));
    const likely = mode || (runs.length === 2 && sizes.size === 1 ? 'same' : 'strong');
    const problem =
        runs.length < 2
            ? 'Choose two or more profiles.'
            : likely === 'same' && runs.length > 2
              ? 'Versions are compared two at a time.'
              : likely !== 'same' && sizes.size < runs.length
                ? 'For scaling, each run needs a number of ranks of its own.'
                : '';
    if (profiles.length < 2) return null;
    return (
        <section class="card compare" aria-label="Compare runs">
            <h2>Compare runs</h2>
            <fieldset>
                <legend>Runs</legend>
                {profiles.slice(0, SHOWN).map(({ id, file, program, ranks }) => (
                    <label key={id}>
                        <input
                            type="checkbox"
                            checked={chosen.includes(id)}
                            onChange={(event) => setChosen(event.currentTarget.checked ? [...chosen, id] : chosen.filter((other) => other !== id))}
                        />{' '}
                        <bdi title={program}>{file.slice(directory.length)}</bdi> <span class="quiet">({count(ranks)})</span>
                    </label>
                ))}
            </fieldset>
            <p class="tools">
                <label>
                    As{' '}
                    <select value={likely} onChange={(event) => setMode(event.currentTarget.value)}>
                        {Object.entries(MODES).map(([name, about]) => (
                            <option key={name} value={name}>
                                {about}
                            </option>
                        ))}
                    </select>
                </label>
                {problem ? <span class="quiet">{problem}</span> : <a href={addressOf(['scale', chosen.join(',')], { mode: likely })}>Compare</a>}
            </p>
        </section>
    );
}
