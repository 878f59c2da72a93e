import { describe, expect, test } from 'vitest';
import { conversationIdOf, readMessages, readConversationLines, withSystemMessage } from './messages.ts';

const system = (content: string) => ({ role: 'system', content });
const user = (content: unknown, name?: string) => ({ role: 'user', content, ...(name && { name }) });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const picture = (url: string) => ({ type: 'image_url', image_url: { url } });

describe('the turns of a list of messages', () => {
  test('come from user and assistant messages', () => {
    const parts = [
      { type: 'text', text: 'Look' },
      picture('data:image/png;base64,AA=='),
      { type: 'text', text: 'here' },
    ];
    const said = readConversationLines([
      system('Be brief.'),
      user('Hi.', 'Mei'),
      assistant('Hello.'),
      user(parts),
    ]);
    expect(said).toEqual({
      lines: [
        { speaker: 'Mei', text: 'Hi.' },
        { speaker: 'ai', text: 'Hello.' },
        { speaker: 'user', text: 'Look\nhere' },
      ],
      last: 2,
      isToolRound: false,
      images: ['data:image/png;base64,AA=='],
    });
  });

  test('leave out tool results and tool calls', () => {
    const call = { role: 'assistant', content: null, tool_calls: [] };
    const tool = { role: 'tool', content: '21 °C', tool_call_id: 'a' };
    expect(readConversationLines([user('Weather?'), call, tool])).toMatchObject({
      last: 0,
      isToolRound: true,
      lines: [{}],
    });
    const later = [user('Weather?'), call, tool, assistant('21 °C.'), user('Thanks.')];
    expect(readConversationLines(later)).toMatchObject({ last: 2, isToolRound: false });
  });

  test('are empty without any text', () => {
    expect(readConversationLines([system('Be brief.'), assistant('Hello.'), user(' ')])).toMatchObject({
      last: null,
    });
  });

  test('have text that can always be stored', () => {
    const [line] = readConversationLines([user('a\0b\uD800', 'a/b')]).lines;
    expect(line).toEqual({ speaker: 'user', text: 'ab\uFFFD' });
  });

  test('include images without text, in every form', () => {
    expect(readConversationLines([user([picture('https://example.com/a.png')])])).toMatchObject({
      lines: [{ text: '[image]' }],
      images: [],
    });
  });
});

test.each([[undefined], ['Hi.'], [[{ content: 'Hi.' }]], [[null]]])('rejects %j', (messages) => {
  expect(() => readMessages({ messages })).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT' }) as Error,
  );
});

describe('the derived id of an unnamed conversation', () => {
  const idOf = (...messages: { role: string; content?: unknown }[]) =>
    conversationIdOf(messages, readConversationLines(messages));

  test('stays the same as the conversation continues, at any time', () => {
    const begun = idOf(system('Be brief. It is 10:15 on 2026-03-29.'), user('Hi.'));
    expect(begun).toMatch(/^chat-[0-9a-f]{32}$/);
    const later = [user('Hi.'), assistant('Hello.'), user('And?')];
    expect(idOf(system('Be brief. It is 11:00 on 2026-03-30.'), ...later)).toBe(begun);
  });

  test('differs for another beginning', () => {
    const ids = [
      idOf(user('Hi.')),
      idOf(user('Hey.')),
      idOf(system('Be brief.'), user('Hi.')),
      idOf(system('Be kind.'), user('Hi.')),
    ];
    expect(new Set(ids).size).toBe(4);
  });
});

test.each([
  [[user('Hi.')], 0],
  [[system('a'), { role: 'developer', content: 'b' }, user('Hi.'), system('c'), user('So?')], 2],
  [[system('a')], 1],
])('places our message after the client’s system messages (%#)', (messages, place) => {
  const more = withSystemMessage(messages, 'remembered');
  expect(more[place]).toEqual(system('remembered'));
  expect(more.toSpliced(place, 1)).toEqual(messages);
});
