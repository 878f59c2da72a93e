/** A real browser for tests: Debian’s Chromium. */
import { existsSync } from 'node:fs';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { temporaryFolder } from '../temporary.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of Chromium; null if it is not installed. */
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

/** A browser with a new profile. */
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

/** Collects a page's problems: script errors, violations of the content security policy, requests to other origins. */
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

/**
 * Waits until everything that the page requests has arrived. Waiting for an idle network would never end: the stream of
 * changes stays open.
 */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  while ((await page.locator('main [role=status].breathing').count()) > 0) await page.waitForTimeout(100);
  // Wait for fade-in animations: contrast can only be measured afterwards.
  await page.waitForTimeout(300);
}
