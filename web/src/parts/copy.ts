// SPDX-License-Identifier: BSD-3-Clause
// Tables as files, for other programs.

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
