// SPDX-License-Identifier: BSD-3-Clause
import 'uplot/dist/uPlot.min.css';
import './style/tokens.css';
import './style/page.css';
import './style/parts.css';
import './style/topology.css';
import './style/timers.css';
import './style/modules.css';

import { render } from 'preact';

import { ProfilePage } from './app';
import { fileSource } from './data/source';
import { ServerPage } from './server';

const app = document.getElementById('app');
if (app) render(document.body.dataset.source === 'server' ? <ServerPage /> : <ProfilePage source={fileSource()} />, app);
