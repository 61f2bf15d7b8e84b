// SPDX-License-Identifier: BSD-3-Clause
// Columns of a tree of call paths that come from values of each rank, for the nodes that have them.
import type { RankValues } from '../data/rank_values';
import { percentFine, seconds, UNKNOWN } from '../text/units';
import { Spark, sparkShape } from './spark';
import { known } from './tree_columns';
import type { TreeColumn } from './tree_table';

const NOT_KNOWN = 'not known per rank';
const LISTED = 16;

/** The picture in words: few values one by one, of many the extremes. */
function describe(values: RankValues, of: Float64Array): string {
    const text = (place: number) => (Number.isNaN(of[place]) ? UNKNOWN : seconds(of[place]));
    if (of.length <= LISTED) return `Time by rank: ${values.ranks.map((rank, place) => `${rank}: ${text(place)}`).join(', ')}`;
    let least = -1;
    let most = -1;
    for (let place = 0; place < of.length; place++) {
        if (Number.isNaN(of[place])) continue;
        if (least < 0 || of[place] < of[least]) least = place;
        if (most < 0 || of[place] > of[most]) most = place;
    }
    return `Time of ${of.length.toLocaleString('en')} ranks: least ${text(least)} (rank ${values.ranks[least]}), most ${text(most)} (rank ${values.ranks[most]})`;
}

function unevenness(of: Float64Array): number {
    let sum = 0;
    let most = 0;
    let n = 0;
    for (const value of of) {
        if (Number.isNaN(value)) continue;
        sum += value;
        most = Math.max(most, value);
        n++;
    }
    return sum > 0 ? (most * n) / sum : NaN;
}

/** The other columns with these: what the reader has selected comes first. whole: values of all time. chosen: places of the
 * selected ranks. */
export function withRankColumns(others: TreeColumn[], values: RankValues, whole: RankValues, chosen: number[] | null): TreeColumn[] {
    const place = others.findIndex(({ key }) => key === 'place');
    const spark = values.size ? [sparkColumn(values, chosen)] : [];
    return [...(chosen ? selectedColumns(values, whole, chosen) : []), ...others.slice(0, place), ...spark, ...others.slice(place)];
}

function sparkColumn(values: RankValues, chosen: number[] | null): TreeColumn {
    const isChosen = new Set(chosen ?? []);
    const pictures = new Map<number, ReturnType<typeof pictureOf>>();
    const pictureOf = (node: number) => {
        const of = values.values(node);
        return of && { shape: sparkShape(of, (place) => isChosen.has(place)), label: describe(values, of) };
    };
    return {
        key: 'spark',
        title: 'Ranks',
        about: 'Time of each rank, the first one on the left, for the heaviest nodes; sorted by the largest over the mean time',
        width: 12,
        text: true,
        value: (node) => {
            const of = values.values(node);
            return of ? unevenness(of) : NaN;
        },
        show: () => '',
        plain: (node) => [...(values.values(node) ?? [])].map((value) => (Number.isNaN(value) ? UNKNOWN : value.toPrecision(4))).join(' '),
        draw: (node) => {
            if (!values.has(node)) return null;
            if (!pictures.has(node)) pictures.set(node, pictureOf(node));
            const picture = pictures.get(node);
            return picture && <Spark {...picture} />;
        },
    };
}

function selectedColumns(values: RankValues, whole: RankValues, chosen: number[]): TreeColumn[] {
    const names = values.namesOf(chosen);
    const shown = names.length > 30 ? `${names.slice(0, 28)}..` : names;
    const sums = new Map<number, number>();
    const sum = (node: number) => {
        if (!values.has(node)) return NaN;
        if (!sums.has(node)) sums.set(node, values.sum(node, chosen));
        return sums.get(node)!;
    };
    const all = whole.sum(0, chosen);
    const share = (node: number) => sum(node) / (all || NaN);
    const mark = (text: string) => (text === UNKNOWN ? NOT_KNOWN : `~${text}`);
    const quiet = (node: number) => Number.isNaN(sum(node));
    return [
        {
            key: 'selected',
            title: 'Selected ranks',
            about: `Time with what is called of the selected ranks (${shown}), rounded as in the profile`,
            width: 20,
            value: sum,
            show: (node) => mark(seconds(known(sum(node)))),
            quiet,
        },
        {
            key: 'selected_percent',
            title: '% selected',
            about: `The same as a share of all time of these ranks`,
            width: 12,
            value: share,
            show: (node) => (quiet(node) ? '' : percentFine(known(share(node)))),
            bar: (node) => share(node) || 0,
        },
    ];
}
