// SPDX-License-Identifier: BSD-3-Clause
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** An element and its width in pixels, 0 until it is known. */
export function useWidth<T extends HTMLElement>(): [RefObject<T | null>, number] {
    const box = useRef<T>(null);
    const [width, setWidth] = useState(0);
    useEffect(() => {
        const element = box.current;
        if (!element) return;
        const measure = () => setWidth(Math.floor(element.clientWidth));
        measure();
        const observer = new ResizeObserver(measure);
        observer.observe(element);
        return () => observer.disconnect();
    }, []);
    return [box, width];
}

/** Changes when the page turns dark or light: pictures are drawn with the colours of the moment. */
export function useScheme(): boolean {
    const [query] = useState(() => window.matchMedia('(prefers-color-scheme: dark)'));
    const [dark, setDark] = useState(query.matches);
    useEffect(() => {
        const changed = () => setDark(query.matches);
        query.addEventListener('change', changed);
        return () => query.removeEventListener('change', changed);
    }, [query]);
    return dark;
}
