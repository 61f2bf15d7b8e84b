// SPDX-License-Identifier: BSD-3-Clause
// Tables as files, for other programs.

export function save(name: string, content: Blob): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Whether a spreadsheet would evaluate a text: as is_formula of src/render/csv.c. Numbers are no formulas. */
function isFormula(text: string): boolean {
    return /^ *[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) && Number.isNaN(Number(text));
}

function csvCell(value: string | number | null): string {
    if (value === null) return '';
    let text = String(value);
    if (typeof value === 'string' && isFormula(text)) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csv(headings: string[], rows: (string | number | null)[][]): string {
    return [headings, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n';
}

export function saveCsv(name: string, headings: string[], rows: (string | number | null)[][]): void {
    save(`${name}.csv`, new Blob([csv(headings, rows)], { type: 'text/csv' }));
}
