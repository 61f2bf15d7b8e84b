// SPDX-License-Identifier: BSD-3-Clause
// The views of a profile: one file and one line each.
import type { ComponentType } from 'preact';

import { JobView } from './job';
import { ModulesView } from './modules';
import { Overview } from './overview';
import { TimersView } from './timers';
import { TopologyView } from './topology';

export interface View {
    name: string;
    title: string;
    component: ComponentType;
}

export const views: View[] = [
    { name: 'overview', title: 'Overview', component: Overview },
    { name: 'topology', title: 'Topology', component: TopologyView },
    { name: 'modules', title: 'Modules', component: ModulesView },
    { name: 'timers', title: 'Timers', component: TimersView },
    { name: 'job', title: 'Job', component: JobView },
];
