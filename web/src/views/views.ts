// SPDX-License-Identifier: BSD-3-Clause
// The views of a profile: one file and one line each.
import type { ComponentType } from 'preact';

import { BalanceView } from './balance';
import { JobView } from './job';
import { MpiView } from './mpi';
import { Overview } from './overview';
import { PathsView } from './paths';
import { TimersView } from './timers';
import { TopologyView } from './topology';

export interface View {
    name: string;
    title: string;
    component: ComponentType;
}

export const views: View[] = [
    { name: 'overview', title: 'Overview', component: Overview },
    { name: 'paths', title: 'Call paths', component: PathsView },
    { name: 'balance', title: 'Balance', component: BalanceView },
    { name: 'mpi', title: 'MPI', component: MpiView },
    { name: 'topology', title: 'Topology', component: TopologyView },
    { name: 'timers', title: 'Timers', component: TimersView },
    { name: 'job', title: 'Job', component: JobView },
];
