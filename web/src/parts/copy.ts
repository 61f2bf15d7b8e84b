// SPDX-License-Identifier: BSD-3-Clause
// Tables and charts as files, for other programs and for papers.

export function save(name: string, content: Blob): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A cell that a spreadsheet would take for a formula gets an apostrophe in front. */
function csvCell(value: string | number | null): string {
    if (value === null) return '';
    let text = String(value);
    if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csv(headings: string[], rows: (string | number | null)[][]): string {
    return [headings, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n';
}

export function saveCsv(name: string, headings: string[], rows: (string | number | null)[][]): void {
    save(`${name}.csv`, new Blob([csv(headings, rows)], { type: 'text/csv' }));
}

/** A drawing by itself: colours of the theme become those that it has now. */
function svgText(svg: SVGElement): string {
    const copy = svg.cloneNode(true) as SVGElement;
    const theme = getComputedStyle(document.documentElement);
    for (const element of [copy, ...copy.querySelectorAll('*')])
        for (const attribute of ['fill', 'stroke']) {
            const property = /^var\((--[\w-]+)\)$/.exec(element.getAttribute(attribute) ?? '');
            if (property) element.setAttribute(attribute, theme.getPropertyValue(property[1]).trim());
        }
    const page = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    for (const [name, value] of [['width', '100%'], ['height', '100%'], ['fill', theme.getPropertyValue('--page').trim()]]) page.setAttribute(name, value);
    copy.prepend(page);
    return new XMLSerializer().serializeToString(copy);
}

export function saveSvg(name: string, svg: SVGElement): void {
    save(`${name}.svg`, new Blob([svgText(svg)], { type: 'image/svg+xml' }));
}

export function savePng(name: string, canvas: HTMLCanvasElement): void {
    canvas.toBlob((blob) => blob && save(`${name}.png`, blob));
}

const PIXELS = 2; // of a picture for one of the page

/** The drawing as pixels, for programs that do not read SVG. */
export function saveSvgAsPng(name: string, svg: SVGElement): void {
    const { width, height } = svg.getBoundingClientRect();
    const picture = new Image();
    picture.onload = () => {
        const canvas = document.createElement('canvas');
        canvas.width = PIXELS * width;
        canvas.height = PIXELS * height;
        canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
        savePng(name, canvas);
    };
    picture.src = `data:image/svg+xml,${encodeURIComponent(svgText(svg))}`;
}
