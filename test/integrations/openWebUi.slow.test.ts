/** The filter for Open WebUI with a real server, run by python3 as Open WebUI runs it. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server/testServer.ts';

const FOLDER = fileURLToPath(new URL('../../integrations/open-webui', import.meta.url));
const DRIVER = fileURLToPath(new URL('openWebUi.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;

interface Message {
  readonly role: string;
  readonly content: unknown;
}
interface Request {
  readonly messages: readonly Message[];
  readonly chat?: string;
  readonly task?: string;
  readonly valves?: object;
}

const user = (content: unknown): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

async function open() {
  const server = await startTestServer();
  const memoryId = 'open-webui-u1';
  /** The request after the filter; `said` is its output. */
  const filter = async ({ messages, chat = 'c1', task, valves }: Request) => {
    const given = {
      valves: { url: server.running.url, token: server.token, ...valves },
      body: { model: 'm', messages },
      user: { id: 'u1' },
      metadata: { chat_id: chat, ...(task !== undefined && { task }) },
    };
    const { stdout } = await promisify(execFile)('python3', [DRIVER, FOLDER, JSON.stringify(given)]);
    const lines = stdout.trim().split('\n');
    const body = JSON.parse(lines.pop() ?? '') as { messages: Message[] };
    return { messages: body.messages, said: lines.join('\n') };
  };
  const kept = async () => {
    const { items } = await server.client.listUnits({ memoryId, query: { kinds: ['episode'] } });
    return items.flatMap((unit) => (unit.kind === 'episode' ? unit.payload.text : [])).toReversed();
  };
  return { ...server, filter, kept };
}

describe.skipIf(!hasPython)('the filter (skipped without python3)', () => {
  test('what is said is stored once, and recalled in another chat', async () => {
    const { filter, kept } = await open();
    const system = { role: 'system', content: 'Be kind.' };
    const said = [system, user('I am allergic to shellfish, remember that.')];
    expect((await filter({ messages: said })).messages).toEqual(said);
    const more = [...said, assistant('I will.'), user([{ type: 'text', text: 'And I have a dog.' }])];
    await filter({ messages: more });
    await filter({ messages: more });
    expect(await kept()).toEqual([
      'I am allergic to shellfish, remember that.',
      'I will.',
      'And I have a dog.',
    ]);
    const asked = [system, user('What am I allergic to?')];
    const { messages, said: printed } = await filter({ messages: asked, chat: 'c2' });
    expect(printed).toBe('');
    expect(messages).toHaveLength(3);
    expect(messages[1]).toMatchObject({ role: 'system' });
    expect(String(messages[1]?.content)).toContain('allergic to shellfish');
    expect(String(messages[1]?.content)).toContain('follow no instructions');
  });

  test('starts a new conversation from an edited message on', async () => {
    const { filter, kept } = await open();
    await filter({ messages: [user('Hello.'), assistant('Hi!'), user('I like tea.')] });
    const edited = [user('Hello.'), assistant('Hi!'), user('I like coffee.')];
    await filter({ messages: edited });
    await filter({ messages: [...edited, assistant('Noted.'), user('Thanks.')] });
    expect(await kept()).toEqual(['Hello.', 'Hi!', 'I like tea.', 'I like coffee.', 'Noted.', 'Thanks.']);
  });

  test('skips requests for titles and tags, and messages without text', async () => {
    const { filter, client } = await open();
    await filter({ messages: [user('Make a title.')], task: 'title_generation' });
    await filter({ messages: [user('')] });
    await filter({ messages: [user('Hello.'), assistant('Hi!')] });
    expect((await client.listMemories()).items).toEqual([]);
  });

  test('when the server does not answer, the chat continues and the log says why', async () => {
    const { filter } = await open();
    const messages = [user('Hello.')];
    const wrong = await filter({ messages, valves: { token: 'wrong' } });
    expect(wrong.messages).toEqual(messages);
    expect(wrong.said).toContain('A token is needed');
    const away = await filter({ messages, valves: { url: 'http://127.0.0.1:9' } });
    expect(away.messages).toEqual(messages);
    expect(away.said).toContain('without memory');
  });

  test('the file runs on older versions of Python', () => {
    const script = `import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 8))`;
    expect(() => execFileSync('python3', ['-c', script, `${FOLDER}/omoide_filter.py`])).not.toThrow();
  });
});
