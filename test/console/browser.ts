/** A real browser for tests: Debian’s Chromium. */
import { existsSync } from 'node:fs';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { temporaryFolder } from '../temporary.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where Chromium is; null where there is none. */
export const CHROMIUM = PLACES.find((path) => existsSync(path)) ?? null;

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly locale?: 'en-GB' | 'ja-JP' | 'zh-CN';
}

/** A browser with a profile of its own. */
export async function openBrowser(look: Look = {}): Promise<BrowserContext> {
  const { width = 1280, height = 860, theme = 'light', locale = 'en-GB' } = look;
  if (CHROMIUM === null) throw new Error('Chromium is not installed: node scripts/chromium.mjs installs it');
  return chromium.launchPersistentContext(temporaryFolder(), {
    executablePath: CHROMIUM,
    headless: true,
    args: FLAGS,
    viewport: { width, height },
    colorScheme: theme,
    locale,
    reducedMotion: 'reduce',
  });
}

/** What went wrong in a page: errors of scripts, refusals of the content security policy, requests to elsewhere. */
export function watchProblems(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
      problems.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !['data:', 'blob:'].includes(url.protocol))
      problems.push(`asked ${url.href}`);
  });
  return problems;
}

/** Everything that the page asks for has come. Not that the network is idle: the stream of changes never ends. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  while ((await page.locator('main [role=status].breathing').count()) > 0) await page.waitForTimeout(100);
  // What fades in is transparent until it is there, and colours are told apart only then.
  await page.waitForTimeout(300);
}
