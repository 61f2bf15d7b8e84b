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
