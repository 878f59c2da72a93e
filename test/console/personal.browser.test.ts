/** The console's page about personal data, in a real browser. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { settled, type Look } from './browser.ts';
import { expectAccessible, openConsole, PATIENCE_MS, type Opened } from './opened.ts';

const memoryId = 'default';
const PHONE = '090-1234-5678';
const PASSWORD = 'Neko4711!';

const SAID = {
  en: [
    `You can reach Mina on ${PHONE}, or at mina.07@example.com.`,
    `The password of the bridge camera is ${PASSWORD}`,
    'The parcel goes to the blue house behind the mill.',
  ],
  ja: [
    `美奈の電話は${PHONE}、メールは mina.07@example.com だよ。`,
    `カメラのパスワードは${PASSWORD}にした。`,
    '荷物は水車小屋の裏の青い家に届けてね。',
  ],
};

async function openFound(look: Look = {}, language: keyof typeof SAID = 'en'): Promise<Opened> {
  const opened = await openConsole(look);
  const turns = SAID[language].map((text) => ({ conversationId: 'talk', speaker: 'user', text }));
  await opened.server.client.ingestTurns({ memoryId, body: { turns } });
  await opened.page.goto(`${opened.url}/m/default/personal`);
  await settled(opened.page);
  return opened;
}

const isFocused = async (one: Locator) => (await one.and(one.page().locator(':focus')).count()) === 1;
const bodyText = (page: Page) => page.locator('body').innerText();

describe('personal data', { timeout: 240_000 }, () => {
  test('what was found is shown masked, by kind, with its turn', async () => {
    const { page, problems } = await openFound();
    const rows = page.getByRole('list', { name: 'What was found' }).getByRole('listitem');
    expect(await rows.count()).toBe(2);
    expect(await bodyText(page)).not.toMatch(/1234|4711|mina\.07/);
    await page.getByRole('combobox', { name: 'What was found' }).selectOption('phone number');
    await expect.poll(() => rows.count(), { timeout: PATIENCE_MS }).toBe(1);
    await rows.first().getByRole('link', { name: 'Read it in its conversation' }).click();
    await page.waitForURL(/conversations\?c=talk/);
    expect(problems).toEqual([]);
  });

  test('the policy is chosen by keyboard, applies at once, and follows the server again', async () => {
    const { page, server, problems } = await openFound();
    const { client } = server;
    await page.getByRole('radio', { name: /^Mask it/ }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const policy = () => client.readSensitivePolicy({ memoryId });
    await expect.poll(policy, { timeout: PATIENCE_MS }).toEqual({ policy: 'refuse', own: 'refuse' });
    const turns = [{ conversationId: 'talk', speaker: 'user', text: `Or call ${PHONE}` }];
    await expect(client.ingestTurns({ memoryId, body: { turns } })).rejects.toMatchObject({
      code: 'SENSITIVE_TEXT',
    });
    await page.getByRole('button', { name: 'Follow the server' }).click();
    await expect.poll(policy, { timeout: PATIENCE_MS }).toEqual({ policy: 'mask', own: null });
    await page.getByText('This memory follows the setting of the server.').waitFor();
    expect(problems).toEqual([]);
  });

  test('a wrong mask is removed, and put back by undo', async () => {
    const { page, server, problems } = await openFound();
    const { client } = server;
    await page.getByRole('combobox', { name: 'What was found' }).selectOption('password');
    const correct = page.getByRole('button', { name: 'Correct' });
    await expect.poll(() => correct.count(), { timeout: PATIENCE_MS }).toBe(1);
    await correct.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Show the words first.').waitFor();
    expect(await dialog.innerText()).not.toContain(PASSWORD);
    await dialog.getByRole('button', { name: 'Show the words' }).click();
    await dialog.getByText(PASSWORD).first().waitFor();
    await dialog.getByRole('button', { name: 'Do not mask: password' }).click();
    await dialog.getByText('Nothing is masked.').waitFor();
    const found = async () => (await client.listSensitive({ memoryId })).items.length;
    expect(await found()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(found, { timeout: PATIENCE_MS }).toBe(2);
    expect(problems).toEqual([]);
  });

  test('a turn in which something was missed is found and masked by the keyboard', async () => {
    const { page, server, problems } = await openFound();
    await page.getByRole('searchbox', { name: 'Words of the turn' }).fill('parcel');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Mask something' }).click();
    const dialog = page.getByRole('dialog');
    const words = dialog.getByRole('textbox', { name: 'Words to be masked' });
    await words.fill('the red house');
    await page.keyboard.press('Enter');
    await dialog.getByText('The text does not contain these words.').waitFor();
    await words.fill('the blue house behind the mill');
    await dialog.getByRole('combobox', { name: 'What they are' }).selectOption('postal address');
    await words.press('Enter');
    await page.getByText('Masked in 1 place.').waitFor();
    const { items } = await server.client.listSensitive({
      memoryId,
      query: { found: 'address', maxSensitivity: 'secret' },
    });
    expect(items.map(({ places }) => places.map(({ text }) => text))).toEqual([
      ['the blue house behind the mill'],
    ]);
    expect(problems).toEqual([]);
  });

  test('words that are selected in the text are masked', async () => {
    const { page, server } = await openFound();
    await page.getByRole('searchbox', { name: 'Words of the turn' }).fill('parcel');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Mask something' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The parcel goes').first().click({ clickCount: 3 });
    const words = dialog.getByRole('textbox', { name: 'Words to be masked' });
    await expect.poll(() => words.inputValue(), { timeout: PATIENCE_MS }).toBe(SAID.en[2]);
    await dialog.getByRole('button', { name: 'Mask', exact: true }).click();
    await page.getByText('Masked in 1 place.').waitFor();
    expect((await server.client.listSensitive({ memoryId })).items).toHaveLength(3);
  });

  test('the keyboard keeps its place: words are shown and hidden, a mask is removed, the dialog closes', async () => {
    const { page, problems } = await openFound();
    const correct = page.getByRole('button', { name: 'Correct' }).last();
    await correct.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Show the words' }).focus();
    await page.keyboard.press('Enter');
    const hide = dialog.getByRole('button', { name: 'Hide the words' });
    await dialog.getByText(PHONE).first().waitFor();
    expect(await isFocused(hide)).toBe(true);
    await page.keyboard.press('Enter');
    const show = dialog.getByRole('button', { name: 'Show the words' });
    await show.waitFor();
    expect(await isFocused(show)).toBe(true);
    expect(await dialog.innerText()).not.toContain(PHONE);
    await dialog.getByRole('button', { name: 'Do not mask: phone number' }).focus();
    await page.keyboard.press('Enter');
    const heading = dialog.getByRole('heading', { name: 'Masked here' });
    await expect.poll(() => isFocused(heading), { timeout: PATIENCE_MS }).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count(), { timeout: PATIENCE_MS }).toBe(0);
    await expect.poll(() => isFocused(correct), { timeout: PATIENCE_MS }).toBe(true);
    expect(problems).toEqual([]);
  });

  test('one Escape closes the dialog, and words are hidden although the server does not answer', async () => {
    const { page } = await openFound();
    await page.getByRole('button', { name: 'Correct' }).last().focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Show the words' }).click();
    await dialog.getByText(PHONE).first().waitFor();
    await page.route('**/masks*', () => {});
    await dialog.getByRole('button', { name: 'Hide the words' }).click();
    await dialog.getByRole('button', { name: 'Show the words' }).waitFor();
    expect(await dialog.innerText()).not.toContain(PHONE);
    await page.unroute('**/masks*');
    await page.goto(page.url().replace(/[?].*/, ''));
    await page.getByRole('button', { name: 'Correct' }).last().focus();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Show the words' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count(), { timeout: PATIENCE_MS }).toBe(0);
  });

  test('an empty list says why, and how to see more', async () => {
    const { page } = await openFound();
    await page.getByRole('combobox', { name: 'What was found' }).selectOption('passport');
    await page.getByText('Nothing matches this choice.').waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    const rows = page.getByRole('list', { name: 'What was found' }).getByRole('listitem');
    await expect.poll(() => rows.count(), { timeout: PATIENCE_MS }).toBe(2);
    expect(await isFocused(page.getByRole('combobox', { name: 'What was found' }))).toBe(true);
  });

  test('a memory in which nothing is looked for says so where nothing was found', async () => {
    const { page, server, url } = await openConsole();
    const turns = [{ conversationId: 'talk', speaker: 'user', text: SAID.en[2]! }];
    await server.client.ingestTurns({ memoryId, body: { turns } });
    await page.goto(`${url}/m/default/personal`);
    await page.getByText('Nothing was found').waitFor();
    await page.getByRole('radio', { name: /^Do nothing/ }).check();
    const reason = page.getByText('Nothing is looked for in this memory.');
    await reason.waitFor();
    expect(await reason.isVisible()).toBe(true);
  });

  test.each([
    ['en', 'en-GB', 'light', 1280],
    ['ja', 'ja-JP', 'dark', 1280],
    ['ja', 'ja-JP', 'light', 390],
    ['en', 'en-GB', 'light', 390],
    ['ja', 'zh-CN', 'light', 1280],
  ] as const)('the page and its dialog are accessible and fit: %s, %s, %s, %i', async (...look) => {
    const [language, locale, theme, width] = look;
    const { page, problems } = await openFound({ locale, theme, width }, language);
    const name = look.join('-');
    await expectAccessible(page, name);
    await page.emulateMedia({ colorScheme: theme });
    const extra = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(extra).toBe(0);
    await page.getByRole('listitem').getByRole('button').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button').nth(1).click();
    await dialog.getByRole('textbox').waitFor();
    await expectAccessible(page, `${name}, dialog`);
    expect(problems).toEqual([]);
  });
});
