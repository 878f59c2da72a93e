import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, onTestFinished, test, describe } from 'vitest';
import type { Page } from 'playwright-core';
import { startTestServer } from '../server/testServer.ts';
import { CHROMIUM, openBrowser, watchProblems, type Look } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

interface Opened {
  readonly page: Page;
  readonly problems: string[];
  readonly url: string;
  readonly server: Awaited<ReturnType<typeof startTestServer>>;
}

/** The console, opened by its sign-in link. */
async function openConsole(look: Look & { readonly worker?: boolean } = {}): Promise<Opened> {
  const server = await startTestServer({ worker: look.worker ?? true, reorganize: 'never' });
  const context = await openBrowser(look);
  onTestFinished(() => context.close());
  const page = context.pages()[0] ?? (await context.newPage());
  const problems = watchProblems(page, server.running.url);
  await page.goto(server.running.createSignInLink());
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { page, problems, url: server.running.url, server };
}

/** By keyboard alone: Tab until it has the focus, then Enter. */
async function pressByKeyboard(page: Page, name: string): Promise<void> {
  for (let i = 0; i < 120; i += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>('document.activeElement?.textContent?.trim()');
    if (focused === name) return page.keyboard.press('Enter');
  }
  throw new Error(`“${name}” was not reached by the keyboard.`);
}

async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations;
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`);
}

const ROUTES = ['', '/chat?q=旅行', '/memories', '/conversations', '/facts', '/loops', '/journal'];

describe.skipIf(CHROMIUM === null)('the console in a browser (apt-get install chromium)', () => {
  test('from the first run to “it remembered”, without a mouse', async () => {
    const { page, problems } = await openConsole();
    await pressByKeyboard(page, 'In English');
    await page.getByTestId('holds').waitFor();
    await page.getByRole('textbox', { name: 'Ask it something' }).focus();
    await page.keyboard.type('When is the baby due?');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.getByTestId('found').textContent(), { timeout: 20_000 })
      .toContain('It remembered.');
    expect(problems).toEqual([]);
  });

  test('a link signs in once', async () => {
    const { page, server } = await openConsole();
    const link = server.running.createSignInLink();
    await page.evaluate("localStorage.removeItem('omoide-token')");
    await page.goto(link);
    await page.getByRole('heading', { name: 'Start' }).waitFor();
    expect(page.url()).not.toContain('code=');
    await page.evaluate("localStorage.removeItem('omoide-token')");
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('This link was used before').waitFor();
  });

  test('a fact set right is in the next pack, and can be undone', async () => {
    const { page, server, problems } = await openConsole();
    const memoryId = 'default';
    const { id } = await server.client.createUnit({
      memoryId,
      body: {
        content: { kind: 'fact', payload: { subject: 'Mina', predicate: 'lives in', object: 'Osaka' } },
      },
    });
    await page.goto(`${new URL(page.url()).origin}/m/default/memories?unit=${id}`);
    await page.getByRole('button', { name: 'Correct' }).click();
    await page.getByRole('textbox', { name: 'Correct' }).fill('Kyoto');
    await page.getByRole('button', { name: 'Save' }).click();
    const packed = async () =>
      (await server.client.pack({ memoryId, body: { utterance: 'Where does Mina live?' } })).text;
    await expect.poll(packed).toContain('Kyoto');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(packed).toContain('Osaka');
    expect(problems).toEqual([]);
  });

  test('a file of 20,000 turns is looked at first, then taken in with word of how far it is', async () => {
    const { page, server, problems } = await openConsole({ worker: false });
    const lines = Array.from({ length: 20_000 }, (_, i) => `user,turn ${i} about the sea`);
    const [name, mimeType] = ['sea.csv', 'text/csv'];
    const buffer = Buffer.from(['speaker,text', ...lines, 'user,'].join('\n'));
    await page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer });
    await page.getByText('20,000 turns in 1 conversation').waitFor({ timeout: 60_000 });
    await page.getByText('line 20,002').or(page.getByText('line 20002')).waitFor();
    expect((await server.client.listMemories()).items).toEqual([]);
    await page.getByRole('button', { name: 'Keep 20,000 turns' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.getByText('20,000 turns are now remembered.').waitFor({ timeout: 200_000 });
    expect(problems).toEqual([]);
  });

  test('two tabs stay in step, and go on when the server comes back', async () => {
    const { page, server } = await openConsole();
    const { client, running } = server;
    await client.addSample({ memoryId: 'default', body: { language: 'en' } });
    const other = await page.context().newPage();
    await other.goto(`${running.url}/m/default/conversations`);
    await page.goto(`${running.url}/m/default/conversations`);
    await client.ingestTurns({
      memoryId: 'default',
      body: { turns: [{ conversationId: 'brand new talk', speaker: 'user', text: 'Hello again.' }] },
    });
    for (const tab of [page, other]) await tab.getByText('brand new talk').waitFor();
    await running.stop();
    await expect
      .poll(() => page.getByText('The server cannot be reached').count(), { timeout: 10_000 })
      .toBeGreaterThan(0);
  });

  test.each(['light', 'dark'] as const)('axe finds nothing on any page, in the %s theme', async (theme) => {
    const { page, server, url, problems } = await openConsole({ theme });
    await server.client.addSample({ memoryId: 'default', body: { language: 'ja' } });
    for (const route of ROUTES) {
      await page.goto(`${url}/m/default${route}`);
      await page.waitForLoadState('networkidle').catch(() => {});
      await page.waitForTimeout(700);
      expect.soft(await axeViolations(page), route).toEqual([]);
    }
    expect(problems).toEqual([]);
  });

  test.each(['en-GB', 'ja-JP', 'zh-CN'] as const)('nothing is wider than a phone, in %s', async (locale) => {
    const { page, server, url } = await openConsole({ locale, width: 390, height: 844 });
    await server.client.addSample({ memoryId: 'default', body: { language: 'zh' } });
    for (const route of ROUTES) {
      await page.goto(`${url}/m/default${route}`);
      await page.waitForTimeout(700);
      const extra = () =>
        page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      expect.soft(await extra(), route).toBe(0);
    }
  });
});
