import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Input } from '../../src/serve/client.ts';
import { startScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { startTestServer } from '../server/testServer.ts';
import { temporaryFolder } from '../temporary.ts';
import { settled, type Look } from './browser.ts';
import { expectAccessible, openConsole, PATIENCE_MS, type Opened } from './opened.ts';
import { SURFACES } from './surfaces.ts';

const MAX_INITIAL_BYTES = 220_000;

type NewUnit = Input<'createUnit'>['body']['content'];

/** Presses Tab until the element has the focus, then Enter. */
async function pressByKeyboard(page: Page, name: string): Promise<void> {
  for (let i = 0; i < 120; i += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>('document.activeElement?.textContent?.trim()');
    if (focused === name) return page.keyboard.press('Enter');
  }
  throw new Error(`“${name}” was not reached by the keyboard.`);
}

const ROUTES = [
  '',
  '/chat?q=旅行',
  '/memories',
  '/conversations',
  '/facts',
  '/loops',
  '/people',
  '/people?id=1',
  '/topics',
  '/topics?view=list',
  '/timeline',
  '/notes',
  '/personal',
  '/journal',
  ...['jobs', 'models', 'persona', 'access', 'usage', 'speed', 'quality', 'integrity', 'storage'].map(
    (tab) => `/operate?tab=${tab}`,
  ),
];

/** A server whose memory has people and a topic. */
async function openFilled(look: Look, language: 'ja' | 'zh' | 'en'): Promise<Opened> {
  const opened = await openConsole(look, { worker: true });
  await opened.server.client.addSample({ memoryId: 'default', body: { language } });
  await expect
    .poll(async () => (await opened.server.client.listEntities({ memoryId: 'default' })).items.length, {
      timeout: PATIENCE_MS,
    })
    .toBeGreaterThan(0);
  return opened;
}

/** Data for the dialogs that the sample does not contain. */
async function fillDialogs(client: Opened['server']['client']): Promise<void> {
  const memoryId = 'default';
  const add = async (content: NewUnit) => client.createUnit({ memoryId, body: { content } });
  const payload = { subject: 'Mina', predicate: 'lives in', object: 'Osaka' };
  const { id } = await add({ kind: 'fact', payload });
  const moved = { kind: 'fact', payload: { ...payload, object: 'Kyoto' } } as const;
  await client.changeUnit({ memoryId, unitId: id, body: { content: moved } });
  await add({ kind: 'loop', payload: { text: 'Call the dentist', dueAt: Date.now() } });
  const { id: past } = await add({ kind: 'loop', payload: { text: 'Book the flight' } });
  const operation = { type: 'archiveUnits' as const, unitIds: [past], reason: 'past its time' };
  const plan = { at: Date.now(), by: 'rules', operations: [operation], refresh: [] };
  await client.reorganize({ memoryId, body: { plan } });
}

describe('the console in a browser', () => {
  test('works from the first run to the turn that answers, with the keyboard alone', async () => {
    const { page, problems } = await openConsole(
      {},
      { modelOverrides: { embedder: { provider: 'bundled' } } },
    );
    await pressByKeyboard(page, 'In English');
    await page.getByTestId('holds').waitFor();
    await page.getByRole('textbox', { name: 'Ask it something' }).focus();
    await page.keyboard.type('When is Ellie’s baby due?');
    await page.keyboard.press('Enter');
    await page.getByTestId('found').getByText('July').first().waitFor();
    expect(problems).toEqual([]);
  });

  test('a sign-in link works once', async () => {
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

  test('a chat shows what was recalled for its answer, and takes feedback on it', async () => {
    const model = await startScriptedModel();
    model.answer(() => 'It swayed so much!');
    const chat = { provider: 'endpoint', url: model.url, model: 'scripted' } as const;
    const { page, server, url, problems } = await openConsole(
      {},
      { modelOverrides: { chat, embedder: { provider: 'bundled' } } },
    );
    const { client } = server;
    const trip = {
      conversationId: 'trip',
      speaker: 'user',
      text: 'The bridge at Nasushiobara swayed terribly.',
      occurredAt: '2025-03-28T10:00:00Z',
    };
    // The last turns are in the prompt anyway, and are not recalled.
    const later = Array.from({ length: 40 }, (_, i) => ({
      conversationId: 'later',
      speaker: 'user',
      text: `Number ${i} on the shopping list is paid.`,
      occurredAt: '2026-01-05T10:00:00Z',
    }));
    await client.ingestTurns({ memoryId: 'default', body: { turns: [trip, ...later] } });
    await page.goto(`${url}/m/default/chat`);
    await page.getByPlaceholder('Say something…').fill('How was the bridge at Nasushiobara?');
    await page.keyboard.press('Enter');
    await page.getByText('It swayed so much!').waitFor();
    const trace = page.getByTestId('trace');
    const bridge = trace
      .getByRole('article')
      .filter({ hasText: 'The bridge at Nasushiobara swayed terribly.' });
    await bridge.waitFor();
    expect(await trace.textContent()).toContain('How long each step took');
    await trace.getByText('What the model is given').waitFor();
    await bridge.getByText('used', { exact: true }).waitFor();
    await trace.getByRole('button', { name: 'This helped' }).first().click();
    const feedback = async () => (await client.listFeedback({ memoryId: 'default' })).items;
    await expect
      .poll(feedback)
      .toMatchObject([{ verdict: 'helped', utterance: 'How was the bridge at Nasushiobara?' }]);
    await trace.getByRole('combobox', { name: 'Profile' }).selectOption('Fast');
    await trace.getByRole('heading', { name: /^Current settings/ }).waitFor();
    await trace.getByRole('heading', { name: /^Other settings/ }).waitFor();
    await trace.getByRole('combobox', { name: 'Profile' }).selectOption('Conversation (in use)');
    const otherwise = trace.getByRole('heading', { name: /^Other settings/ }).locator('..');
    for (const embedder of ['Words alone', 'Static embedder']) {
      await trace.getByRole('combobox', { name: 'Embedder' }).selectOption(embedder);
      await otherwise.getByText('The bridge at Nasushiobara swayed terribly.').waitFor();
    }
    await page.getByPlaceholder('Say something…').fill('Who was on the bridge at Nasushiobara with me?');
    await page.keyboard.press('Enter');
    await trace.getByText('The last 2 turns are in the prompt anyway').waitFor();
    expect(await trace.getByRole('article').filter({ hasText: 'How was the bridge' }).count()).toBe(0);
    await bridge.getByRole('button', { name: 'Never mention this' }).click();
    await page.getByText('It will not be mentioned any more.').waitFor();
    const bringsUp = async () =>
      (await client.pack({ memoryId: 'default', body: { utterance: 'How was the bridge at Nasushiobara?' } }))
        .text;
    await expect.poll(bringsUp, { timeout: PATIENCE_MS }).not.toContain('swayed terribly');
    expect(problems).toEqual([]);
  });

  test('a corrected fact is in the next pack, and can be undone', async () => {
    const { page, server, url, problems } = await openConsole();
    const memoryId = 'default';
    const payload = { subject: 'Mina', predicate: 'lives in', object: 'Osaka' };
    const { id } = await server.client.createUnit({ memoryId, body: { content: { kind: 'fact', payload } } });
    await page.goto(`${url}/m/default/memories?unit=${id}`);
    await page.getByRole('button', { name: 'Correct' }).click();
    await page.getByRole('textbox', { name: 'Correct' }).fill('Kyoto');
    await page.getByRole('button', { name: 'Save' }).click();
    const packed = async () =>
      (await server.client.pack({ memoryId, body: { utterance: 'Where does Mina live?' } })).text;
    await expect.poll(packed, { timeout: PATIENCE_MS }).toContain('Kyoto');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(packed, { timeout: PATIENCE_MS }).toContain('Osaka');
    expect(problems).toEqual([]);
  });

  test('a reorganisation is undone after a preview', async () => {
    const { page, server, url, problems } = await openConsole();
    const { client } = server;
    const memoryId = 'default';
    const loop = { kind: 'loop', payload: { text: 'Call the dentist' } } as const;
    const { id } = await client.createUnit({ memoryId, body: { content: loop } });
    const operation = { type: 'archiveUnits' as const, unitIds: [id], reason: 'past its time' };
    const plan = { at: Date.now(), by: 'rules', operations: [operation], refresh: [] };
    await client.reorganize({ memoryId, body: { plan } });
    const state = async () => (await client.readUnit({ memoryId, unitId: id })).state;
    expect(await state()).toBe('archived');
    await page.goto(`${url}/m/default/journal`);
    await page.getByRole('button', { name: 'Undo' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Call the dentist').waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Everything is as it was before.').waitFor();
    expect(await state()).not.toBe('archived');
    expect(problems).toEqual([]);
  });

  test('a conversation is forgotten after a preview of what is erased, and the receipt proves it', async () => {
    const { page, server, url, problems } = await openConsole();
    const { client } = server;
    const memoryId = 'default';
    const turns = ['The key is under the blue stone.', 'Nobody knows but you.'].map((text) => ({
      conversationId: 'secret place',
      speaker: 'user',
      text,
    }));
    const others = [{ conversationId: 'other talk', speaker: 'user', text: 'The sea was calm.' }];
    await client.ingestTurns({ memoryId, body: { turns: [...turns, ...others] } });
    await page.goto(`${url}/m/default/conversations?c=secret place`);
    await page.getByRole('button', { name: 'Forget for good' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Turn: 2').waitFor();
    await dialog.getByText('The key is under the blue stone.').waitFor();
    const forget = dialog.getByRole('button', { name: 'Forget for good' });
    expect(await forget.isDisabled()).toBe(true);
    expect((await client.listTurns({ memoryId, conversationId: 'secret place' })).items).toHaveLength(2);
    await dialog.getByRole('checkbox').check();
    await forget.click();
    await dialog.getByText('Forgotten.').waitFor();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download the receipt' }).click();
    const receipt: unknown = JSON.parse(readFileSync(await (await download).path(), 'utf8'));
    expect(receipt).toMatchObject({ format: 'omoide receipt', what: 'conversation', counts: { episode: 2 } });
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('other talk').waitFor();
    expect(await page.getByText('secret place').count()).toBe(0);
    expect(await client.verifyMemory({ memoryId })).toMatchObject({ problems: [], forgotten: 2 });
    expect(problems).toEqual([]);
  });

  test('several memories are forgotten at once, and a note among them stays', async () => {
    const { page, server, url, problems } = await openConsole();
    const { client } = server;
    const memoryId = 'default';
    const turns = ['The first secret.', 'The second secret.', 'The sea was calm.'].map((text) => ({
      conversationId: 'talk',
      speaker: 'user',
      text,
    }));
    await client.ingestTurns({ memoryId, body: { turns } });
    const payload = {
      uri: 'a.md',
      section: 'A',
      memoryType: 'fact',
      text: 'Green tea.',
      tokenCount: 2,
    } as const;
    await client.createUnit({ memoryId, body: { content: { kind: 'note', payload } } });
    await page.goto(`${url}/m/default/memories`);
    for (const text of ['The first secret.', 'The second secret.', 'Green tea.'])
      await page.getByRole('checkbox', { name: text }).check();
    await page.getByText('Notes are files').waitFor();
    await page.getByRole('button', { name: 'Forget for good' }).click();
    const dialog = page.getByRole('dialog', { name: 'Forget “2 memories” for good?' });
    await dialog.getByText('Turn: 2').waitFor();
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Forget for good' }).click();
    await dialog.getByText('Forgotten.').waitFor();
    await dialog.getByRole('button', { name: 'Download the receipt' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    for (const text of ['The first secret.', 'The second secret.'])
      await page.getByRole('checkbox', { name: text }).waitFor({ state: 'hidden' });
    for (const text of ['The sea was calm.', 'Green tea.'])
      expect(await page.getByRole('checkbox', { name: text }).count()).toBe(1);
    expect(await client.verifyMemory({ memoryId })).toMatchObject({ problems: [], forgotten: 2 });
    expect(problems).toEqual([]);
  });

  test('the archive page explains how to set one up and, once it exists, shows the progress', async () => {
    const without = await openConsole();
    const turns = ['The sea was calm.', 'The wind came later.'].map((text) => ({
      conversationId: 'talk',
      speaker: 'user',
      text,
    }));
    const memoryId = 'default';
    await without.server.client.ingestTurns({ memoryId, body: { turns } });
    await without.page.goto(`${without.url}/m/default/operate?tab=integrity`);
    await without.page.getByText('No archive is set up.').waitFor();
    await without.page.getByText('omoide serve --archive /mnt/archive').waitFor();
    const archive = temporaryFolder();
    const { page, server, url, problems } = await openConsole({}, { archive });
    await server.client.ingestTurns({ memoryId, body: { turns } });
    await page.goto(`${url}/m/default/operate?tab=integrity`);
    await page.getByText('2 turns not copied yet').waitFor();
    await page.getByRole('button', { name: 'Copy now' }).click();
    await page.getByText('Everything is copied.').waitFor();
    await page.getByRole('button', { name: 'Compare with the archive' }).click();
    await page.getByText('2 copies are the same as here.').waitFor();
    const [object = ''] = readdirSync(join(archive, memoryId));
    const path = join(archive, memoryId, object);
    chmodSync(path, 0o600);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"id":2', '"id":3'));
    await page.getByRole('button', { name: 'Compare with the archive' }).click();
    await page.getByText(/1 problem/).waitFor();
    expect(problems).toEqual([]);
  });

  test('an open loop is snoozed, completed and reopened, and quiet hours are set', async () => {
    const { page, server, url, problems } = await openConsole();
    const { client, settings } = server;
    const memoryId = 'default';
    const payload = { text: 'Call the dentist', dueAt: Date.now() };
    const { id } = await client.createUnit({ memoryId, body: { content: { kind: 'loop', payload } } });
    const loop = async () => {
      const unit = await client.readUnit({ memoryId, unitId: id });
      return unit.kind === 'loop' ? unit.payload : null;
    };
    await page.goto(`${url}/m/default/loops`);
    await page.getByRole('button', { name: 'Later…' }).click();
    await page.getByRole('button', { name: 'In a week' }).click();
    const isNineInAWeek = async () => {
      const { dueAt = 0 } = (await loop()) ?? {};
      const inTokyo = new Date((dueAt ?? 0) + 9 * 3_600_000).toISOString();
      return (dueAt ?? 0) > Date.now() + 5 * 86_400_000 && inTokyo.endsWith('T09:00:00.000Z');
    };
    await expect.poll(isNineInAWeek, { timeout: PATIENCE_MS }).toBe(true);
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await expect.poll(loop, { timeout: PATIENCE_MS }).toMatchObject({ status: 'done' });
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Done');
    await page.getByRole('button', { name: 'Open again' }).click();
    await expect.poll(loop, { timeout: PATIENCE_MS }).toMatchObject({ status: 'open' });
    await page.getByRole('button', { name: 'Reminders' }).click();
    await page.getByLabel('from', { exact: true }).fill('21:30');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('quiet from 21:30 to 08:00').waitFor();
    expect(settings.get().reminders).toMatchObject({ quietFrom: '21:30', quietTo: '08:00' });
    expect(problems).toEqual([]);
  });

  test('a note edited here and by another program at the same time contains both edits', async () => {
    const dataDir = temporaryFolder();
    mkdirSync(join(dataDir, 'notes'));
    const { page, server, url, problems } = await openConsole({}, { dataDir });
    const memoryId = 'default';
    const uri = 'user/preferences.md';
    const text = '# Preferences\n\n- Tea.\n\n- Trains.\n';
    const turn = { conversationId: 'c', speaker: 'user', text: 'Hello.' };
    await server.client.ingestTurns({ memoryId, body: { turns: [turn] } });
    await server.client.writeNote({ memoryId, body: { uri, text } });
    await page.goto(`${url}/m/default/notes?file=${encodeURIComponent(uri)}`);
    const editor = page.getByRole('textbox', { name: 'The file’s text' });
    await expect.poll(() => editor.inputValue(), { timeout: PATIENCE_MS }).toBe(text);
    await server.client.writeNote({ memoryId, body: { uri, text: text.replace('Tea', 'Green tea') } });
    await editor.press('Control+End');
    await page.keyboard.type('- Boats.');
    const kept = async () => (await server.client.readNote({ memoryId, query: { uri } })).text;
    const both = `${text.replace('Tea', 'Green tea')}- Boats.`;
    await expect.poll(kept, { timeout: PATIENCE_MS }).toBe(both);
    await expect.poll(() => editor.inputValue(), { timeout: PATIENCE_MS }).toBe(both);
    expect(problems).toEqual([]);
  });

  test('a file of 20,000 turns is previewed, then imported with progress', async () => {
    const { page, server, problems } = await openConsole();
    const lines = Array.from({ length: 20_000 }, (_, i) => `user,turn ${i} about the sea`);
    const [name, mimeType] = ['sea.csv', 'text/csv'];
    const buffer = Buffer.from(['speaker,text', ...lines, 'user,'].join('\n'));
    await page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer });
    await page.getByText('20,000 turns in 1 conversation').waitFor();
    await page.getByText(/line 20,?002/).waitFor();
    expect((await server.client.listMemories()).items).toEqual([]);
    await page.getByRole('button', { name: 'Import 20,000 turns' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.getByText('20,000 turns are now remembered.').waitFor({ timeout: 200_000 });
    expect(problems).toEqual([]);
  });

  test('two tabs show the same state, and continue when the server is back', async () => {
    const { page, server } = await openConsole();
    const { client, running, dataDir, settings } = server;
    const say = (conversationId: string) => ({
      memoryId: 'default',
      body: { turns: [{ conversationId, speaker: 'user', text: 'Hello again.' }] },
    });
    await client.ingestTurns(say('old talk'));
    const other = await page.context().newPage();
    for (const tab of [page, other]) {
      await tab.goto(`${running.url}/m/default/conversations`);
      await tab.getByText('old talk').waitFor();
    }
    await client.ingestTurns(say('brand new talk'));
    for (const tab of [page, other]) await tab.getByText('brand new talk').waitFor();
    await running.stop();
    for (const tab of [page, other]) await tab.getByText('The server cannot be reached').waitFor();
    const again = await startTestServer({ dataDir, settings, port: running.address.port });
    await again.client.ingestTurns(say('after the night'));
    for (const tab of [page, other]) {
      await tab.getByText('after the night').waitFor();
      await tab.getByText('The server cannot be reached').waitFor({ state: 'hidden' });
      expect(await tab.getByText('brand new talk').count()).toBe(1);
    }
  });

  test('the first page loads less than 220 kB of script', async () => {
    const { page, url } = await openConsole();
    const asked: string[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) asked.push(response.url());
    });
    await page.goto(`${url}/m/default`);
    await settled(page);
    const scripts = await Promise.all(asked.map(async (script) => (await fetch(script)).arrayBuffer()));
    const bytes = scripts.reduce((sum, script) => sum + gzipSync(new Uint8Array(script)).length, 0);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(MAX_INITIAL_BYTES);
  });

  test('axe finds nothing on any page, in both themes', async () => {
    const { page, url, problems } = await openFilled({}, 'ja');
    for (const route of ROUTES) {
      await page.goto(`${url}/m/default${route}`);
      await settled(page);
      await expectAccessible(page, route);
    }
    expect(problems).toEqual([]);
  }, 600_000);

  test('axe finds nothing in dialogs, drawers and menus, in both themes', async () => {
    const { page, url, problems, server } = await openFilled({}, 'ja');
    await fillDialogs(server.client);
    for (const { name, route, width = 1280, open } of SURFACES) {
      await page.setViewportSize({ width, height: 860 });
      await page.goto(`${url}/m/default${route}`);
      await settled(page);
      await open(page);
      await page.waitForTimeout(300);
      await expectAccessible(page, name);
    }
    expect(problems).toEqual([]);
  }, 600_000);

  test.each(['en-GB', 'ja-JP', 'zh-CN'] as const)(
    'nothing is wider than the screen of a phone, in %s',
    async (locale) => {
      const { page, url } = await openFilled({ locale, width: 390, height: 844 }, 'zh');
      for (const route of ROUTES) {
        await page.goto(`${url}/m/default${route}`);
        await settled(page);
        const extra = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect.soft(extra, route).toBe(0);
      }
    },
  );
});
