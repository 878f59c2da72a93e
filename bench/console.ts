/**
 * Measures the console on a large memory: the time until a page shows its content, and the longest task during
 * scrolling. `node bench/console.ts [--units 100000] [--topics 2000]`; needs Chromium and the built console.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { startConsole } from '../scripts/consoleServer.ts';
import { internals, memoryPath, openMemory } from '../src/engine/engine.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite.ts';

const { values } = parseArgs({
  options: { units: { type: 'string', default: '100000' }, topics: { type: 'string', default: '2000' } },
});
const [UNITS, TOPICS] = [Number(values.units), Number(values.topics)];
const MEMORY = 'bench';
const ZONE = 'UTC';
const HOUR_MS = 3_600_000;
const WORDS =
  'sea bridge tea garden train letter winter song bread window river lamp market cousin piano storm'.split(
    ' ',
  );
const SCROLLS = 25;
const WARM_UP_MS = 30_000;

const wordAt = (i: number) => WORDS[i % WORDS.length] ?? '';
const titleOf = (topic: number) => `The ${wordAt(topic)} and the ${wordAt(topic * 7 + 3)} ${topic}`;

async function fill(dataDir: string): Promise<void> {
  const memory = await openMemory({
    dataDir,
    memoryId: MEMORY,
    timeZone: ZONE,
    embedder: { provider: 'hashed' },
    learn: false,
    reorganize: 'never',
  });
  const start = Date.UTC(2022, 0, 1);
  await memory.add(
    Array.from({ length: UNITS }, (_, i) => ({
      conversationId: `talk ${Math.floor(i / 40)}`,
      speaker: i % 2 === 0 ? 'user' : 'ai',
      text: `About ${titleOf(i % TOPICS)}: the ${wordAt(i * 3)} by the ${wordAt(i * 5 + 1)}, as on day ${i}.`,
      occurredAt: start + (i * HOUR_MS) / 4,
    })),
  );
  await internals(memory).settle();
  await memory.close();
  const store = openSqliteStore(memoryPath(dataDir, MEMORY), {
    memoryId: MEMORY,
    timeZone: ZONE,
    now: Date.now,
  });
  const step = Math.floor(UNITS / TOPICS);
  for (let topic = 0; topic < TOPICS; topic += 1) {
    const unitIds = Array.from({ length: Math.min(5, step) }, (_, i) => 1 + topic + i * TOPICS);
    await store.topics.assign(
      unitIds.map((unitId, i) => ({
        mark: { unitId, kind: 'assign_topic', fingerprint: 'bench' },
        topic:
          i === 0 ? { title: titleOf(topic), summary: null, source: 'assign_topic:rules' } : { sameAs: 0 },
        vector: null,
      })),
    );
  }
  await store.close();
}

interface Measured {
  readonly page: string;
  readonly contentMs: number;
  /** The duration of the page's slowest request until then. */
  readonly requestMs: number;
  readonly longestTaskMs: number;
}

const PAGES = [
  { path: '/memories', content: 'main [role=listitem]' },
  { path: '/conversations', content: 'main [role=listitem]' },
  { path: '/topics', content: 'main svg [role=button]' },
  { path: '/topics?view=list', content: 'main [role=listitem]' },
  { path: '/timeline', content: 'main ol li' },
  { path: '/timeline?at=2023-05', content: 'main ol li' },
] as const;

async function measure(
  page: Page,
  url: string,
  { path, content }: (typeof PAGES)[number],
): Promise<Measured> {
  const startedAt = performance.now();
  await page.goto(`${url}/m/${MEMORY}${path}`, { waitUntil: 'commit' });
  await page.locator(content).first().waitFor();
  const contentMs = performance.now() - startedAt;
  const requestMs = await page.evaluate<number>(`Math.max(0, ...performance.getEntriesByType('resource')
    .filter(({ name }) => name.includes('/api/')).map(({ duration }) => duration))`);
  await page.waitForTimeout(1_000);
  await page.evaluate(`globalThis.longest = 0; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: 'longtask' })`);
  for (let i = 0; i < SCROLLS; i += 1) {
    await page.mouse.wheel(0, 900);
    await page.waitForTimeout(60);
  }
  await page.waitForTimeout(300);
  return {
    page: path,
    contentMs,
    requestMs,
    longestTaskMs: await page.evaluate<number>('globalThis.longest'),
  };
}

const dataDir = mkdtempSync(join(tmpdir(), 'omoide-bench-'));
try {
  await fill(dataDir);
  const server = await startConsole(dataDir, { embedder: { provider: 'hashed' } });
  const page = await server.openPage({ viewport: { width: 1280, height: 860 }, locale: 'en-GB' });
  page.setDefaultTimeout(120_000);
  console.log(
    `| page (${UNITS} units, ${TOPICS} topics) | first content, ms | of it the slowest request, ms | longest task while scrolling, ms |\n| --- | --- | --- | --- |`,
  );
  const tell = ({ page: path, contentMs, requestMs, longestTaskMs }: Measured, note = '') =>
    console.log(
      `| ${path}${note} | ${contentMs.toFixed(0)} | ${requestMs.toFixed(0)} | ${longestTaskMs === 0 ? 'under 50' : longestTaskMs.toFixed(0)} |`,
    );
  tell(await measure(page, server.url, PAGES[0]), ', the server just started');
  // The server reads ahead during this time.
  await page.waitForTimeout(WARM_UP_MS);
  for (const one of PAGES) tell(await measure(page, server.url, one));
  await server.stop();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
