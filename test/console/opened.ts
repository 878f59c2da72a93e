/** The console of a test server, opened in a browser. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { startTestServer } from '../server/testServer.ts';
import { openBrowser, watchProblems, type Look } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
/** Long, because machines that run tests are shared. */
export const PATIENCE_MS = 90_000;

type ServerOptions = NonNullable<Parameters<typeof startTestServer>[0]>;

export interface Opened {
  readonly page: Page;
  readonly problems: string[];
  readonly url: string;
  readonly server: Awaited<ReturnType<typeof startTestServer>>;
}

/** The console, opened by its sign-in link. */
export async function openConsole(look: Look = {}, options: ServerOptions = {}): Promise<Opened> {
  const server = await startTestServer({ worker: false, reorganize: 'never', ...options });
  const context = await openBrowser(look);
  onTestFinished(() => context.close());
  context.setDefaultTimeout(PATIENCE_MS);
  const page = context.pages()[0] ?? (await context.newPage());
  const problems = watchProblems(page, server.running.url);
  await page.goto(server.running.createSignInLink());
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { page, problems, url: server.running.url, server };
}

export async function expectAccessible(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Colours change gradually.
    await page.waitForTimeout(200);
    expect.soft(await axeViolations(page), `${name}, ${colorScheme}`).toEqual([]);
  }
}

/** Elements of the open dialog, if there is one: those behind it cannot be reached. */
async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate<{ id: string; html: string }[]>(
    `axe.run([...document.querySelectorAll('[role=dialog]')].at(-1) ?? document)
      .then(({ violations }) => violations.map(({ id, nodes }) => ({ id, html: nodes[0].html })))`,
  );
  return found.map(({ id, html }) => `${id}: ${html.slice(0, 200)}`);
}
