// SPDX-License-Identifier: BSD-3-Clause
import type { Spread } from '../data/types';

export interface Counter {
    name: string;
    software: boolean;
    total: number;
    program: number | null;
    mpi: number | null;
    rate_per_s: number | null;
    rate_program_per_s: number | null;
    scaled: boolean;
    enabled_s: number;
    running_s: number;
    ranks: string;
    spread: Spread | null;
    per_rank: (number | null)[];
    per_rank_mpi: (number | null)[];
}

export interface Counters {
    source: string | null;
    instructions_per_cycle: number | null;
    instructions_per_cycle_program: number | null;
    flops_per_s: number | null;
    flops_per_cycle: number | null;
    peak_flops_per_cycle: number | null;
    fraction_of_peak: number | null;
    memory_bytes_estimate: number | null;
    memory_bytes_per_s_estimate: number | null;
    list: Counter[];
}
