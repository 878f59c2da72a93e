import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  plugins: [react(), tailwindcss()],
  resolve: { alias: { 'omoide/client': at('../src/serve/client.ts') } },
  build: {
    outDir: at('../dist/console'),
    emptyOutDir: true,
    // No inline scripts: the content security policy would block them.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:7438' } },
});
