// SPDX-License-Identifier: BSD-3-Clause
import { viewAddress } from '../state';

/** An extreme and the rank that has it, which selects the rank. */
export function RankOf({ value, rank }: { value: string; rank: number | null }) {
    return (
        <>
            {value}
            {rank !== null && (
                <>
                    {' '}
                    <a class="of-rank" href={viewAddress('balance', { ranks: String(rank) })} title={`Select rank ${rank}`}>
                        {rank}
                    </a>
                </>
            )}
        </>
    );
}
