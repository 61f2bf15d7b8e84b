// SPDX-License-Identifier: BSD-3-Clause
// A chart with the table behind it: the table is what screen readers get, and what a button shows to everybody.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';

import { save, saveSvg } from './copy';

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
    const savePicture = () => {
        const canvas = figure.current?.querySelector('canvas');
        const svg = figure.current?.querySelector('svg');
        if (canvas) canvas.toBlob((blob) => blob && save(`${name}.png`, blob));
        else if (svg) saveSvg(name, svg);
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
                {!asTable && (
                    <button type="button" onClick={savePicture}>
                        Save picture
                    </button>
                )}
            </p>
        </figure>
    );
}

interface PlotProps {
    label: string;
    data: uPlot.AlignedData;
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
        return () => {
            observer.disconnect();
            plot.destroy();
        };
    }, [data, options, height]);
    return <div class="plot" ref={box} role="img" aria-label={label} />;
}
