// SPDX-License-Identifier: BSD-3-Clause
// A chart with the table behind it: the table is what screen readers get, and what a button shows to everybody.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';

import { onColours } from './drawing';
import { canBeSavedBy, savePicture } from './picture';
import { SvgPath, type SvgPen } from './svg_pen';

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
    const saveAs = (kind: 'svg' | 'png') => figure.current && void savePicture(name, figure.current, kind);
    return (
        <figure class="chart" ref={figure} data-chart={name}>
            <figcaption>
                <h3>{title}</h3>
                {caption && <p>{caption}</p>}
            </figcaption>
            {asTable && table()}
            {/* not taken away, because a new canvas would be empty */}
            <div class="drawing" hidden={asTable}>
                {children}
            </div>
            <p class="tools">
                {tools}
                <button type="button" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
                    {asTable ? 'Show as chart' : 'Show as table'}
                </button>
                {!asTable && (
                    <>
                        <button type="button" onClick={() => saveAs('svg')}>
                            Save as SVG
                        </button>
                        <button type="button" onClick={() => saveAs('png')}>
                            Save as PNG
                        </button>
                    </>
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

/** Lets uPlot draw with a pen that writes SVG. It takes its pen from its canvas, and its paths from the browser. */
async function record(options: uPlot.Options, data: uPlot.AlignedData, pen: SvgPen): Promise<void> {
    const { getContext } = HTMLCanvasElement.prototype;
    const { Path2D } = window;
    HTMLCanvasElement.prototype.getContext = () => pen as never;
    window.Path2D = SvgPath as unknown as typeof Path2D;
    try {
        const plot = new uPlot(options, data, document.createElement('div'));
        await Promise.resolve(); // it draws in a microtask, which is the next one
        plot.destroy();
    } finally {
        HTMLCanvasElement.prototype.getContext = getContext;
        window.Path2D = Path2D;
    }
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
        canBeSavedBy(plot.ctx.canvas, (pen) => record({ ...options, width: plot.width, height }, data, pen));
        return () => {
            forget();
            observer.disconnect();
            plot.destroy();
        };
    }, [data, options, height]);
    return <div class="plot" ref={box} role="img" aria-label={label} />;
}
