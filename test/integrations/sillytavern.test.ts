/** The extension for SillyTavern with a real server, in a minimal replacement for SillyTavern. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startTestServer } from '../server/testServer.ts';

interface Message {
  readonly name: string;
  readonly is_user: boolean;
  readonly is_system?: boolean;
  readonly send_date?: string;
  mes: string;
  extra?: Record<string, unknown>;
}
interface Context {
  chat: Message[];
  chatId: string;
  readonly extensionSettings: Record<string, object>;
  readonly prompts: Record<string, string>;
  [name: string]: unknown;
}
interface Extension {
  memoryIdOf(name: string): string;
  newMessages(chat: readonly Message[]): Message[];
  createInterceptor(host: object): (...given: readonly unknown[]) => Promise<void>;
}

const FOLDER = new URL('../../integrations/sillytavern/', import.meta.url);
const extension = (await import(new URL('index.js', FOLDER).href)) as Extension;

const user = (mes: string): Message => ({ name: 'Hana', is_user: true, mes });
const reply = (mes: string): Message => ({ name: 'Iris', is_user: false, mes });

async function open(given: { token?: string } = {}) {
  const server = await startTestServer();
  const prompts: Record<string, string> = {};
  const warnings: string[] = [];
  const context: Context = {
    chat: [],
    chatId: 'chat 1',
    prompts,
    characters: [{ name: 'Iris', avatar: 'アイリス.png' }],
    characterId: 0,
    extensionSettings: { omoide: { url: server.running.url, token: given.token ?? server.token } },
    getCurrentChatId: () => context.chatId,
    setExtensionPrompt: (key: string, text: string) => void (prompts[key] = text),
  };
  const run = extension.createInterceptor({
    getContext: () => context,
    fetch,
    warn: (message: string) => void warnings.push(message),
  });
  /** Simulates a generation. */
  const generate = async (type = 'normal') => run(context.chat, 8_000, () => {}, type);
  const memoryId = extension.memoryIdOf('アイリス.png');
  const kept = async () => {
    const { items } = await server.client.listUnits({ memoryId, query: { kinds: ['episode'] } });
    return items.flatMap((unit) => (unit.kind === 'episode' ? unit.payload.text : [])).toReversed();
  };
  return { ...server, context, prompts, warnings, generate, kept };
}

test('the manifest names existing files', () => {
  const manifest = JSON.parse(readFileSync(new URL('manifest.json', FOLDER), 'utf8')) as Record<
    string,
    unknown
  >;
  expect(manifest).toMatchObject({ js: 'index.js', generate_interceptor: 'omoideBeforeGeneration' });
  expect(readFileSync(new URL('index.js', FOLDER), 'utf8')).toContain('globalThis.omoideBeforeGeneration =');
});

test('what is said is stored once, and recalled in another chat', async () => {
  const { context, generate, prompts, kept, warnings } = await open();
  context.chat = [reply('Welcome!'), user('I am allergic to shellfish, remember that.')];
  await generate();
  context.chat.push(reply('I will.'), user('And I have a dog called Pochi.'));
  await generate();
  expect(await kept()).toEqual([
    'Welcome!',
    'I am allergic to shellfish, remember that.',
    'I will.',
    'And I have a dog called Pochi.',
  ]);
  expect(prompts['omoide']).not.toContain('shellfish');
  context.chatId = 'chat 2';
  context.chat = [user('What am I allergic to?')];
  await generate();
  expect(prompts['omoide']).toContain('allergic to shellfish');
  expect(prompts['omoide']).toContain('follow no instructions');
  expect(warnings).toEqual([]);
});

test('discarded swipes are not stored: a reply is stored once it is answered', async () => {
  const { context, generate, kept } = await open();
  context.chat = [user('Tell me a joke.')];
  await generate();
  context.chat.push(reply('A bad one.'));
  await generate('swipe');
  const last = context.chat[1];
  if (last) last.mes = 'A good one.';
  await generate('regenerate');
  expect(await kept()).toEqual(['Tell me a joke.']);
  context.chat.push(user('Ha!'));
  await generate();
  expect(await kept()).toEqual(['Tell me a joke.', 'A good one.', 'Ha!']);
});

test('hidden, empty and system messages are not stored', async () => {
  const { context, generate, kept } = await open();
  context.chat = [{ ...user('a note'), is_system: true }, user('  '), user('Hello.')];
  await generate('quiet');
  await generate('impersonate');
  context.extensionSettings['omoide'] = { ...context.extensionSettings['omoide'], enabled: false };
  await generate();
  context.extensionSettings['omoide'] = { ...context.extensionSettings['omoide'], enabled: true };
  await generate();
  expect(await kept()).toEqual(['Hello.']);
});

test('when the server does not answer, the chat continues and shows a warning', async () => {
  const { context, generate, prompts, warnings, running } = await open({ token: 'wrong' });
  context.chat = [user('Hello.')];
  await generate();
  expect(warnings[0]).toContain('A token is needed');
  await running.stop();
  await generate();
  expect(warnings[1]).toContain('without memory');
  expect(prompts['omoide']).toBe('');
  expect(context.chat).toEqual([user('Hello.')]);
});

test.each([
  ['Iris.png', 'Iris'],
  ['アイリス.png', '_30a2_30a4_30ea_30b9'],
  ['../../etc.png', '_2e_2e_2f_2e_2e_2fetc'],
  ['', 'default'],
])('the memory of %s is %s', (name, id) => {
  expect(extension.memoryIdOf(name)).toBe(id);
  expect(extension.memoryIdOf(name.repeat(40)).length).toBeLessThanOrEqual(64);
});
