// SPDX-License-Identifier: BSD-3-Clause
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** The width of an element, kept up to date: 0 until it is known. */
export function useWidth<T extends HTMLElement>(): [RefObject<T | null>, number] {
    const box = useRef<T>(null);
    const [width, setWidth] = useState(0);
    useEffect(() => {
        const element = box.current;
        if (!element) return;
        setWidth(element.clientWidth);
        const observer = new ResizeObserver(() => setWidth(element.clientWidth));
        observer.observe(element);
        return () => observer.disconnect();
    }, []);
    return [box, width];
}
