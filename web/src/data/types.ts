// SPDX-License-Identifier: BSD-3-Clause
// The slices that several views use (doc/API.md, doc/JSON.md). Only the keys that the pages read are here.

export interface Spread {
    min: number;
    min_rank: number | null;
    max: number;
    max_rank: number | null;
    avg: number;
}

export interface Finding {
    rule: string;
    text: string;
    advice: string;
    trace: string | null;
    cost_s: number;
    cost_fraction: number;
    measured: boolean;
    ranks: string;
    function: string | null;
    file: string | null;
    line: number | null;
    path: string | null;
    evidence: Record<string, number | string | null>;
}

export interface Note {
    code: string;
    argument: string;
    text: string;
    amount: number;
    ranks: string;
}

export interface Host {
    name: string;
    cpu: string;
    cores: number;
    memory_bytes: number | null;
    ranks: string;
}

export interface Job {
    id: string;
    command: string[];
    ranks: number;
    ranks_measured: number;
    cart_dims: number[];
    hosts: number;
    wall_s: number;
    wall_sum_s: number;
    complete: boolean;
    ends: { ranks: string; how: string; inside: string | null }[];
    mpi: string;
    mpi_library: string;
    language: string;
    launcher: string;
    executable: string;
    build_id: string;
    commit: string | null;
    directory: string;
    user: string;
    overhead_s: number;
    versions: { runtime: string | null; profile: string | null };
    started: string | null;
    ended: string | null;
    per_rank: Record<string, Spread | null>;
    hosts_list: Host[];
    programs: { name: string; executable: string; ranks: string; wall_sum_s: number; mpi_fraction: number; parallel_efficiency: number | null }[];
    environment: Record<string, string>;
    notes: Note[];
    snapshots: { label: string; when_s: number; rank: number | null; mpi_s: number }[];
}

export interface Factors {
    parallel: number | null;
    load_balance: number | null;
    communication: number | null;
    serialisation: number | null;
    transfer: number | null;
}

export interface Efficiency extends Factors {
    openmp: number | null;
    openmp_error: number | null;
    threads_per_process: number | null;
    hybrid: number | null;
    estimated: string[];
    sampled: string[];
    cores: string;
    from_first: { kind: 'region' | 'timer'; name: string; ranks_in_it: number } | null;
    regions: (Factors & { name: string; wall_s: Spread; wall_balance: number })[];
    timers: (Factors & { name: string; wall_s: Spread; wall_balance: number })[];
}

export interface Split {
    wall_s: number;
    program_s: number;
    mpi_s: number;
    io_s: number | null;
    no_cpu_s: number | null;
    /** The two parts of mpi_s, estimated; null if they are not told apart. */
    waiting_s: number | null;
    transfer_s: number | null;
}

export interface Summary {
    headline: string;
    balance_sentence: string;
    /** Whether there are call paths. */
    sampled: boolean;
    job: Job;
    efficiency: Efficiency;
    split: Split;
    findings: Finding[];
    memory: {
        high_water_bytes: Spread | null;
        after_init_bytes: Spread | null;
        end_bytes: Spread | null;
        growth_bytes: Spread | null;
        hosts: { name: string; total_bytes: number | null; least_free_bytes: number | null; limit_bytes: number | null; limit_high_water_bytes: number | null; numa_nodes: number | null }[];
    };
    network: { hosts: { name: string; received_bytes: number | null; sent_bytes: number | null; received_packets: number | null; sent_packets: number | null }[] };
}

type Column = (number | null)[];

export interface Ranks {
    /** One list per figure, all in the same order (by rank). */
    processes: Record<string, Column> & { rank: Column; host: Column };
    split: { per_rank: { ranks: string; wall_s: number[]; program_s: number[]; mpi_s: number[]; io_s: Column; no_cpu_s: Column } };
    balance: Balance;
}

export interface Balance {
    load_balance: number | null;
    communication_efficiency: number | null;
    parallel_efficiency: number | null;
    evenness: 'even' | 'uneven' | 'unknown';
    ranks_by_mpi_time: number[];
    mpi_s: number[];
    routines: Record<string, number[]>;
    groups: { ranks: string; mpi_s: number; mpi_min_s: number; mpi_max_s: number; difference_s: number; jump_s: number }[];
}
