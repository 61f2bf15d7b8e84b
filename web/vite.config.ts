// SPDX-License-Identifier: BSD-3-Clause
// One script and one style sheet, which the build embeds in the tool. A page that is opened from a file cannot load
// modules, so the script is a classic one.
import { defineConfig } from 'vite';

export default defineConfig({
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
    build: {
        outDir: process.env.FATHOM_WEB_OUT ?? 'dist',
        emptyOutDir: false,
        target: ['chrome100', 'firefox113', 'safari16.4'],
        cssCodeSplit: false,
        lib: { entry: 'src/main.tsx', formats: ['iife'], name: 'fathom', fileName: () => 'app.js', cssFileName: 'app' },
    },
    define: { 'process.env.NODE_ENV': '"production"' },
});
