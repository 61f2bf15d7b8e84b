// SPDX-License-Identifier: BSD-3-Clause
import 'uplot/dist/uPlot.min.css';
import './style/tokens.css';
import './style/page.css';
import './style/parts.css';
import './style/paths.css';
import './style/ranks.css';
import './style/topology.css';
import './style/timers.css';
import './style/modules.css';
import './style/site.css';

import { render } from 'preact';

import { ProfilePage } from './app';
import { fileSource } from './data/source';
import { HistoryPage } from './history';
import { ServerPage } from './server';
import { SitePage } from './site/site';
import { FileScale } from './views/scale';

function Page() {
    if (document.body.dataset.source === 'server') return <ServerPage />;
    if (document.body.dataset.source === 'site') return <SitePage />;
    const source = fileSource();
    if (source.has('scale')) return <FileScale source={source} />;
    return source.has('history') ? <HistoryPage source={source} /> : <ProfilePage source={source} />;
}

const app = document.getElementById('app');
if (app) render(<Page />, app);
