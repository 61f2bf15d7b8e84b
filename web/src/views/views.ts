// SPDX-License-Identifier: BSD-3-Clause
// The views of a profile: one file and one line each.
import type { ComponentType } from 'preact';

import { BalanceView } from './balance';
import { CountersView } from './counters';
import { EfficiencyView } from './efficiency';
import { IoView } from './io';
import { JobView } from './job';
import { LiveView } from './live';
import { MemoryView } from './memory';
import { MpiView } from './mpi';
import { ModulesView } from './modules';
import { Overview } from './overview';
import { PathsView } from './paths';
import { TimersView } from './timers';
import { TopologyView } from './topology';

export interface View {
    name: string;
    title: string;
    component: ComponentType;
}

/** Only of a job that runs. */
export const liveView: View = { name: 'live', title: 'Live', component: LiveView };

export const views: View[] = [
    { name: 'overview', title: 'Overview', component: Overview },
    { name: 'balance', title: 'Balance', component: BalanceView },
    { name: 'mpi', title: 'MPI', component: MpiView },
    { name: 'topology', title: 'Topology', component: TopologyView },
    { name: 'paths', title: 'Call paths', component: PathsView },
    { name: 'modules', title: 'Modules', component: ModulesView },
    { name: 'timers', title: 'Timers', component: TimersView },
    { name: 'efficiency', title: 'Efficiency', component: EfficiencyView },
    { name: 'io', title: 'I/O', component: IoView },
    { name: 'memory', title: 'Memory', component: MemoryView },
    { name: 'counters', title: 'Counters', component: CountersView },
    { name: 'job', title: 'Job', component: JobView },
];
