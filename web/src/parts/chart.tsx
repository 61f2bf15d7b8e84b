// SPDX-License-Identifier: BSD-3-Clause
// A chart with the table behind it: the table is what screen readers get, and what a button shows to everybody.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';

import { savePng, saveSvg, saveSvgAsPng } from './copy';
import { onColours } from './drawing';

interface FrameProps {
    name: string;
    title: string;
    /** What it shows, in a sentence: the caption. */
    caption?: ComponentChildren;
    /** The same data as a table. */
    table: () => ComponentChildren;
    children: ComponentChildren;
    tools?: ComponentChildren;
}

/** Everything around a picture: title, caption, the table behind it, and saving it as a picture. */
export function ChartFrame({ name, title, caption, table, children, tools }: FrameProps) {
    const [asTable, setAsTable] = useState(false);
    const figure = useRef<HTMLElement>(null);
    const [isSvg, setIsSvg] = useState(false);
    const drawing = (kind: 'canvas' | 'svg') => figure.current?.querySelector(`${kind}:not(.tools *)`) ?? null;
    useEffect(() => setIsSvg(!drawing('canvas') && drawing('svg') !== null));
    const asPng = () => {
        const canvas = drawing('canvas');
        const svg = drawing('svg');
        if (canvas) savePng(name, canvas as HTMLCanvasElement);
        else if (svg) saveSvgAsPng(name, svg as SVGElement);
    };
    const asSvg = () => {
        const svg = drawing('svg');
        if (svg) saveSvg(name, svg as SVGElement);
    };
    return (
        <figure class="chart" ref={figure} data-chart={name}>
            <figcaption>
                <h3>{title}</h3>
                {caption && <p>{caption}</p>}
            </figcaption>
            {asTable ? table() : children}
            <p class="tools">
                {tools}
                <button type="button" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
                    {asTable ? 'Show as chart' : 'Show as table'}
                </button>
                {!asTable && isSvg && (
                    <button type="button" onClick={asSvg}>
                        Save as SVG
                    </button>
                )}
                {!asTable && (
                    <button type="button" onClick={asPng}>
                        Save as PNG
                    </button>
                )}
            </p>
        </figure>
    );
}

interface PlotProps {
    label: string;
    data: uPlot.AlignedData;
    /** Colours are functions, because they change. */
    options: Omit<uPlot.Options, 'width' | 'height'>;
    height: number;
}

/** uPlot in a box of the full width, drawn again when the box or the data change. */
export function Plot({ label, data, options, height }: PlotProps) {
    const box = useRef<HTMLDivElement>(null);
    useEffect(() => {
        const element = box.current;
        if (!element) return;
        const plot = new uPlot({ ...options, width: Math.max(200, element.clientWidth), height }, data, element);
        const observer = new ResizeObserver(() => {
            const width = Math.max(200, element.clientWidth);
            if (width !== plot.width) plot.setSize({ width, height });
        });
        observer.observe(element);
        const forget = onColours(() => plot.redraw());
        return () => {
            forget();
            observer.disconnect();
            plot.destroy();
        };
    }, [data, options, height]);
    return <div class="plot" ref={box} role="img" aria-label={label} />;
}
