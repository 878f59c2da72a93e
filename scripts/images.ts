/**
 * Makes the screenshots of the console for the README: `node scripts/images.ts`. Needs Chromium and the built console.
 * Learning from the sample memories takes a minute.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openMemory } from '../src/engine/engine.ts';
import { startConsole } from './consoleServer.ts';

const OUT = fileURLToPath(new URL('../docs/images/', import.meta.url));
const CONVERSATIONS = new URL('../examples/conversations/', import.meta.url);
const SIZE = { width: 1280, height: 800 };

interface Picture {
  readonly name: string;
  readonly language: 'ja' | 'zh' | 'en';
  readonly path: string;
  readonly theme?: 'dark';
}

const PICTURES: readonly Picture[] = [
  { name: 'chat', language: 'en', path: '/chat?q=When did I get to hold Isla for the first time%3F' },
  { name: 'topics', language: 'ja', path: '/topics' },
  { name: 'timeline', language: 'zh', path: '/timeline?at=2026' },
  { name: 'people', language: 'en', path: '/people' },
  { name: 'memories', language: 'ja', path: '/memories', theme: 'dark' },
];
const LOCALES = { ja: 'ja-JP', zh: 'zh-CN', en: 'en-GB' } as const;
const ZONES = { ja: 'Asia/Tokyo', zh: 'Asia/Shanghai', en: 'Europe/London' } as const;

async function fill(dataDir: string): Promise<void> {
  for (const language of ['ja', 'zh', 'en'] as const) {
    const memory = await openMemory({
      dataDir,
      memoryId: language,
      timeZone: ZONES[language],
      reorganize: 'never',
    });
    await memory.admin.importFile(fileURLToPath(new URL(`${language}.jsonl`, CONVERSATIONS)));
    while ((await memory.jobs.count()).queued > 1) await new Promise((resolve) => setTimeout(resolve, 500));
    await memory.close();
  }
}

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  while ((await page.locator('main [role=status].breathing').count()) > 0) await page.waitForTimeout(100);
  await page.waitForTimeout(1_500);
}

const dataDir = mkdtempSync(join(tmpdir(), 'omoide-images-'));
try {
  await fill(dataDir);
  const server = await startConsole(dataDir);
  mkdirSync(OUT, { recursive: true });
  for (const { name, language, path, theme = 'light' } of PICTURES) {
    const page = await server.openPage({ viewport: SIZE, locale: LOCALES[language], colorScheme: theme });
    await page.goto(`${server.url}/m/${language}${path}`);
    await settled(page);
    await page.screenshot({ path: join(OUT, `${name}.jpg`), type: 'jpeg', quality: 82 });
    await page.context().close();
  }
  await server.stop();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
