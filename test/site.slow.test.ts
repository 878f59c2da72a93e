/** The site generated from docs/: built as documented, and searched in Chromium in three languages. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM } from './console/browser.ts';

const SITE = fileURLToPath(new URL('../site/', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

let server: Server;
let browser: Browser | undefined;

beforeAll(async () => {
  const npm = (...args: string[]) =>
    execFileSync('npm', args, { cwd: SITE, stdio: ['ignore', 'ignore', 'inherit'] });
  if (!existsSync(join(SITE, 'node_modules/vitepress')))
    npm('install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline');
  npm('run', 'build');
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = join(SITE, 'dist', pathname === '/' ? 'index.html' : decodeURIComponent(pathname));
    response.statusCode = existsSync(path) ? 200 : 404;
    response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
    response.end(existsSync(path) ? readFileSync(path) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  if (CHROMIUM === null) throw new Error('Chromium is not installed: apt-get install chromium');
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}, 600_000);

afterAll(async () => {
  await browser?.close();
  server.close();
});

test('the pages exist, and their search finds words in English, Japanese and Chinese', async () => {
  const page = await browser!.newPage();
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(error.message));
  const { port } = server.address() as AddressInfo;
  await page.goto(`http://127.0.0.1:${port}/`);
  await expect(page.locator('h1').first().textContent()).resolves.toContain('Omoide');
  for (const [word, found] of [
    ['completion powershell', 'completion'],
    ['吊り橋', '吊り橋'],
    ['记忆', '记忆'],
  ] as const) {
    await page.locator('.VPNavBarSearch button').first().click();
    await page.locator('.search-input').fill(word);
    const results = page.locator('.VPLocalSearchBox .result');
    await results.first().waitFor();
    expect((await results.allTextContents()).length).toBeGreaterThan(0);
    await results.first().click();
    await page.locator('.VPLocalSearchBox').waitFor({ state: 'detached' });
    expect(await page.locator('main').textContent()).toContain(found);
  }
  expect(failures).toEqual([]);
});
