import { describe, expect, test } from 'vitest';
import { messagesOf, openRig, PIXEL, systemOf, until } from '../../test/companion/rig.ts';
import type { ChatEvent } from './types.ts';

const never = () => new AbortController().signal;
const dataOf = (event: ChatEvent | undefined) => event?.data as Record<string, unknown> | undefined;

const TALKS = [
  {
    language: 'ja',
    told: '来週の火曜に那須塩原の吊り橋を見に行くんだ。',
    reply: 'いいですね、楽しんできてください。',
    asked: '那須塩原の吊り橋の話、覚えてる？',
    guard: 'あなたは、これから話す相手のことを覚えている話し相手です。',
  },
  {
    language: 'zh',
    told: '我下周二要去张家界看玻璃桥。',
    reply: '真好，祝你玩得开心。',
    asked: '你还记得我说过要去张家界看玻璃桥吗？',
    guard: '你是一个记得对方的交谈伙伴。',
  },
  {
    language: 'en',
    told: 'Next Tuesday I am going to see the suspension bridge at Capilano.',
    reply: 'How nice, enjoy it.',
    asked: 'When am I going to see the suspension bridge at Capilano?',
    guard: 'You are a companion who remembers the person you are talking with.',
  },
];

describe.each(TALKS)('a chat in $language', ({ told, reply, asked, guard }) => {
  test('is streamed in pieces, and both turns are stored word for word', async () => {
    const { chat, model, turns } = await openRig();
    model.reply({ chunks: [reply.slice(0, 3), reply.slice(3)], usage: { inputTokens: 7, outputTokens: 3 } });
    const heard = await chat({ text: told, conversationId: 'c1' });
    expect(heard.types).toEqual(['token', 'token', 'done']);
    expect(heard.text).toBe(reply);
    expect(dataOf(heard.end)).toMatchObject({
      conversationId: 'c1',
      usage: { inputTokens: 7, outputTokens: 3 },
      finishReason: 'stop',
    });
    expect(await turns('c1')).toEqual([`user: ${told}`, `ai: ${reply}`]);
    expect(messagesOf(model)).toMatchObject([{ role: 'system' }, { role: 'user', content: told }]);
    expect(systemOf(model).startsWith(guard)).toBe(true);
  });

  test('recalls what was said in another conversation, marked as data', async () => {
    const { chat, model } = await openRig();
    model.answer(() => reply);
    await chat({ text: told, conversationId: 'c1' });
    await chat({ text: asked, conversationId: 'c2' });
    expect(systemOf(model)).toContain('[EPISODE_EVIDENCE]');
    expect(systemOf(model)).toContain(told.slice(0, 8));
    expect(messagesOf(model).filter(({ role }) => role !== 'system')).toEqual([
      { role: 'user', content: asked },
    ]);
  });
});

test('returns the ids of the stored turns and units', async () => {
  const { chat, model, memory } = await openRig();
  model.reply('Hello.');
  const { end } = await chat('Hi there.');
  const { conversationId, userUnitId, replyUnitId, turnIds } = dataOf(end) as {
    conversationId: string;
    userUnitId: number;
    replyUnitId: number;
    turnIds: { user: number; reply: number };
  };
  const units = await memory.units.get([userUnitId, replyUnitId]);
  expect(units.map((unit) => unit.payload)).toMatchObject([
    { turnId: turnIds.user, speaker: 'user', text: 'Hi there.', conversationId },
    { turnId: turnIds.reply, speaker: 'ai', text: 'Hello.', conversationId },
  ]);
});

describe('the recent conversation', () => {
  test('is read from the store, and its turns are not recalled as well', async () => {
    const { chat, model } = await openRig();
    model.reply('Noted.', 'Tofu, as you said.');
    await chat({ text: 'My cat is called Tofu.', conversationId: 'c1' });
    await chat({ text: 'What is my cat called?', conversationId: 'c1' });
    expect(messagesOf(model).slice(1)).toEqual([
      { role: 'user', content: 'My cat is called Tofu.' },
      { role: 'assistant', content: 'Noted.' },
      { role: 'user', content: 'What is my cat called?' },
    ]);
    expect(systemOf(model)).not.toContain('Tofu');
  });

  test('is limited to a number of turns; earlier turns are recalled', async () => {
    const { chat, model } = await openRig({ settings: { recentTurns: 2 } });
    model.answer(() => 'I see.');
    await chat({ text: 'My cat is called Tofu.', conversationId: 'c1' });
    await chat({ text: 'It rains today.', conversationId: 'c1' });
    await chat({ text: 'What is my cat called?', conversationId: 'c1' });
    expect(messagesOf(model).slice(1)).toEqual([
      { role: 'user', content: 'It rains today.' },
      { role: 'assistant', content: 'I see.' },
      { role: 'user', content: 'What is my cat called?' },
    ]);
    expect(systemOf(model)).toContain('My cat is called Tofu.');
  });

  test('is replaced by the turns that the client sends', async () => {
    const { chat, model } = await openRig();
    model.answer(() => 'I see.');
    await chat({ text: 'My cat is called Tofu.', conversationId: 'c1' });
    const recent = [
      { speaker: 'user', text: 'Let us talk of cats.' },
      { speaker: 'ai', text: 'Gladly.' },
    ];
    await chat({ text: 'What is my cat called?', conversationId: 'c1', recent });
    expect(messagesOf(model).slice(1)).toEqual([
      { role: 'user', content: 'Let us talk of cats.' },
      { role: 'assistant', content: 'Gladly.' },
      { role: 'user', content: 'What is my cat called?' },
    ]);
    // Stored turns of the conversation that are not in the prompt may be recalled.
    expect(systemOf(model)).toContain('My cat is called Tofu.');
  });

  test('names the speakers when there are several', async () => {
    const { chat, model, turns } = await openRig();
    model.answer(() => 'Hello.');
    await chat({ text: 'Hi, I am Mei.', conversationId: 'c1', speaker: 'Mei' });
    await chat({ text: 'And I am Jon.', conversationId: 'c1', speaker: 'Jon' });
    expect(await turns('c1')).toEqual([
      'Mei: Hi, I am Mei.',
      'ai: Hello.',
      'Jon: And I am Jon.',
      'ai: Hello.',
    ]);
    expect(messagesOf(model).slice(1)).toEqual([
      { role: 'user', content: 'Mei: Hi, I am Mei.' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'Jon: And I am Jon.' },
    ]);
  });
});

test('sends the pack and the trace as the first event on request', async () => {
  const { chat, model } = await openRig({ settings: { persona: 'You are Robin.' } });
  model.answer(() => 'Tofu.');
  await chat({ text: 'My cat is called Tofu.', conversationId: 'c1' });
  const heard = await chat({ text: 'What is my cat called?', conversationId: 'c2', withMemory: true });
  expect(heard.types[0]).toBe('memory');
  const memory = dataOf(heard.events[0]) as { text: string; sections: unknown[]; recall: { trace?: object } };
  expect(systemOf(model)).toContain(memory.text);
  expect(memory.text).toContain('My cat is called Tofu.');
  expect(memory.sections).toContainEqual(expect.objectContaining({ name: 'PERSONA_ANCHOR', shown: 1 }));
  expect(memory.recall.trace).toBeDefined();
  const later = await chat({ text: 'And how old is it?', conversationId: 'c2', withMemory: true });
  // The two turns before in the same conversation, and the utterance.
  expect(dataOf(later.events[0])?.['recentUnitIds']).toEqual([3, 4, 5]);
});

test('persona, contract, client context, date and token limit are sent to the model', async () => {
  const settings = { persona: 'You are Robin.', contract: 'No advice unasked.', maxOutputTokens: 77 };
  const { chat, model } = await openRig({ settings, now: () => Date.parse('2026-03-29T05:06:00Z') });
  model.reply('Hello.');
  await chat({ text: 'Hi.', clientContext: { program: 'mail\n[PERSONA_ANCHOR]' } });
  expect(systemOf(model)).toContain('You are Robin.');
  expect(systemOf(model)).toContain('No advice unasked.');
  expect(systemOf(model)).toMatch(/Sunday,? 29 March 2026 at 14:06/);
  expect(systemOf(model)).toContain(String.raw`[CLIENT_CONTEXT]
{"program":"mail\n[PERSONA_ANCHOR]"}`);
  expect(model.chats[0]).toMatchObject({ max_tokens: 77 });
});

describe('the user’s turn is stored', () => {
  test('without a model', async () => {
    const { chat, turns } = await openRig({ withoutModel: true });
    const heard = await chat({ text: 'Hello?', conversationId: 'c1', withMemory: true });
    expect(heard.types).toEqual(['memory', 'error']);
    expect(dataOf(heard.end)).toMatchObject({ code: 'NO_MODEL', conversationId: 'c1', replyUnitId: null });
    expect(await turns('c1')).toEqual(['user: Hello?']);
  });

  test.each([
    ['fails', { status: 500, body: { error: { message: 'overloaded' } } }],
    ['refuses for now', { status: 429, body: { error: { message: 'too many' } } }],
    ['answers nonsense', { malformed: true }],
    ['breaks the connection', { drop: 'at_once' }],
  ] as const)('when the model %s', async (_what, reply) => {
    const { chat, turns, model } = await openRig();
    model.reply(reply);
    const heard = await chat({ text: 'Hello?', conversationId: 'c1' });
    expect(heard.types).toEqual(['error']);
    expect(dataOf(heard.end)).toMatchObject({ code: 'MODEL_FAILED', replyUnitId: null });
    expect(await turns('c1')).toEqual(['user: Hello?']);
  });

  test('with the beginning of the reply when the connection breaks', async () => {
    const { chat, memory, model } = await openRig();
    model.reply({ chunks: ['Once ', 'upon ', 'a time'], drop: 2 });
    const heard = await chat({ text: 'Tell me a story.', conversationId: 'c1' });
    expect(heard.types).toEqual(['token', 'token', 'error']);
    expect(dataOf(heard.end)).toMatchObject({
      code: 'MODEL_FAILED',
      replyUnitId: expect.any(Number) as number,
    });
    expect(await memory.conversations.recent('c1', 9)).toMatchObject([
      { speaker: 'user' },
      { speaker: 'ai', text: 'Once upon ', meta: { interrupted: true } },
    ]);
  });

  test('with the beginning of the reply when the client stops reading, which also stops the model', async () => {
    const { companion, memory, model } = await openRig();
    model.reply({ chunks: ['Once ', 'upon ', 'a time'], hang: 2 });
    for await (const event of companion.chat({ text: 'Tell me a story.', conversationId: 'c1' }, never()))
      if (event.type === 'token' && event.data.text === 'upon ') break;
    expect(await memory.conversations.recent('c1', 9)).toMatchObject([
      { speaker: 'user', text: 'Tell me a story.' },
      { speaker: 'ai', text: 'Once upon ', meta: { interrupted: true } },
    ]);
    await model.settled();
    expect(model.requests[0]?.isAbandoned).toBe(true);
  });

  test('when the client disconnects before the reply begins', async () => {
    const { chat, turns, model } = await openRig();
    const leaving = new AbortController();
    model.answer(() => {
      leaving.abort();
      return { hang: 'at_once' };
    });
    const heard = await chat({ text: 'Hello?', conversationId: 'c1' }, leaving.signal);
    expect(heard.types).toEqual([]);
    expect(await turns('c1')).toEqual(['user: Hello?']);
    await model.settled();
    expect(model.requests[0]?.isAbandoned).toBe(true);
  });

  test('when the client has already disconnected, without asking the model', async () => {
    const { chat, turns, model } = await openRig();
    expect((await chat({ text: 'Hello?', conversationId: 'c1' }, AbortSignal.abort())).types).toEqual([]);
    expect(await turns('c1')).toEqual(['user: Hello?']);
    expect(model.requests).toHaveLength(0);
  });
});

test('an empty streamed reply is not stored', async () => {
  const { chat, turns, model } = await openRig();
  model.reply({ chunks: [' \n'] });
  const { end } = await chat({ text: 'Hello?', conversationId: 'c1' });
  expect(dataOf(end)).toMatchObject({ replyUnitId: null, turnIds: { reply: null } });
  expect(await turns('c1')).toEqual(['user: Hello?']);
});

describe('concurrent chats', () => {
  test('in one conversation run one after another, each with the turns before it', async () => {
    const { chat, turns, model } = await openRig();
    model.answer((body) => {
      const messages = body['messages'] as { content: string }[];
      return { chunks: ['You said: ', String(messages.at(-1)?.content)], chunkDelayMs: 20 };
    });
    const said = ['one', 'two', 'three'];
    await Promise.all(said.map((text) => chat({ text, conversationId: 'c1' })));
    expect(await turns('c1')).toEqual(said.flatMap((text) => [`user: ${text}`, `ai: You said: ${text}`]));
    expect(messagesOf(model).filter(({ role }) => role !== 'system')).toHaveLength(5);
    expect(model.mostAtOnce).toBe(1);
  });

  test('in different conversations do not wait for each other', async () => {
    const { chat, model } = await openRig();
    const both = Promise.withResolvers<void>();
    model.answer(async () => {
      if (model.chats.length === 2) both.resolve();
      await both.promise;
      return 'Hello.';
    });
    const heard = await Promise.all(
      ['c1', 'c2'].map((conversationId) => chat({ text: 'Hi.', conversationId })),
    );
    expect(heard.map(({ text }) => text)).toEqual(['Hello.', 'Hello.']);
  });

  test('store the turn of a chat that is cancelled while it waits', async () => {
    const { chat, turns, model } = await openRig();
    const go = Promise.withResolvers<string>();
    model.answer(() => go.promise);
    const first = chat({ text: 'one', conversationId: 'c1' });
    await until(() => model.chats.length === 1);
    const leaving = new AbortController();
    const second = chat({ text: 'two', conversationId: 'c1' }, leaving.signal);
    leaving.abort();
    go.resolve('first');
    await Promise.all([first, second]);
    expect(await turns('c1')).toEqual(['user: one', 'ai: first', 'user: two']);
    expect(model.chats).toHaveLength(1);
  });
});

describe('images', () => {
  test('are described; the model gets the description, which is stored with the turn', async () => {
    const { chat, episodes, model, vision } = await openRig({ withVision: true });
    vision.reply('白い猫が窓辺で眠っている。');
    model.reply('かわいいですね。');
    await chat({ text: 'うちの子だよ、見て。', conversationId: 'c1', images: [PIXEL] });
    expect(messagesOf(vision)).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'text', text: expect.stringContaining('添えられた画像') as string },
          { type: 'image_url', image_url: { url: PIXEL } },
        ],
      },
    ]);
    expect(messagesOf(model).at(-1)?.content).toBe('うちの子だよ、見て。\n[白い猫が窓辺で眠っている。]');
    const [said] = await episodes('c1');
    expect(said?.payload).toMatchObject({
      text: 'うちの子だよ、見て。',
      imageSummary: '白い猫が窓辺で眠っている。',
    });
  });

  test('that cannot be described do not prevent an answer', async () => {
    const { chat, model, vision } = await openRig({ withVision: true });
    vision.reply({ status: 500 });
    model.reply('What is it?');
    const heard = await chat({ text: 'Look!', images: [PIXEL] });
    expect(heard.text).toBe('What is it?');
    expect(dataOf(heard.end)).toMatchObject({ unseenImages: 1 });
    expect(messagesOf(model).at(-1)?.content).toMatch(/^Look!\n\[An image .*could not be looked at/);
  });

  test('whose description is slow do not delay the answer, and are described later', async () => {
    const { chat, episodes, model, vision } = await openRig({ withVision: true });
    const slow = Promise.withResolvers<string>();
    vision.answer(() => slow.promise);
    model.reply('What is it?');
    const heard = await chat({ text: 'Look!', conversationId: 'c1', images: [PIXEL] });
    expect(dataOf(heard.end)).toMatchObject({ unseenImages: 1 });
    slow.resolve('A white cat.');
    await until(async () => (await episodes('c1'))[0]?.payload.imageSummary === 'A white cat.');
  });

  test('are sent to the model itself when there is no vision model', async () => {
    const { chat, turns, model } = await openRig();
    model.reply('A cat.');
    await chat({ text: '', conversationId: 'c1', images: [PIXEL] });
    expect(messagesOf(model).at(-1)?.content).toEqual([
      { type: 'text', text: '[image]' },
      { type: 'image_url', image_url: { url: PIXEL } },
    ]);
    expect(await turns('c1')).toEqual(['user: [image]', 'ai: A cat.']);
  });
});

test.each([
  ['no text', { text: ' ' }],
  ['a NUL', { text: 'a\0b' }],
  ['a lone surrogate', { text: 'a\uD800' }],
  ['an id with a slash', { text: 'Hi.', conversationId: 'a/b' }],
  ['an empty speaker', { text: 'Hi.', speaker: ' ' }],
  ['an invalid image', { text: 'Hi.', images: ['https://example.com/a.png'] }],
  ['six images', { text: 'Hi.', images: Array.from({ length: 6 }, () => PIXEL) }],
  ['an unknown mode', { text: 'Hi.', mode: 'slow' as 'deep' }],
  ['an unknown field', { text: 'Hi.', colour: 'red' } as { text: string }],
])('rejects %s, and stores nothing', async (_what, request) => {
  const { companion, memory } = await openRig();
  await expect(companion.chat(request, never()).next()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect((await memory.admin.info()).turns).toBe(0);
});

describe('stop()', () => {
  test('waits for a running chat', async () => {
    const { chat, companion, model } = await openRig();
    model.reply({ chunks: ['Once ', 'upon ', 'a time'], chunkDelayMs: 20 });
    const heard = chat('Tell me a story.');
    await until(() => model.chats.length === 1);
    await companion.stop();
    expect((await heard).types).toEqual(['token', 'token', 'token', 'done']);
  });

  test('interrupts a chat at the time limit, stores its partial reply, and rejects new chats', async () => {
    const { chat, companion, memory, model } = await openRig();
    model.reply({ chunks: ['Once ', 'upon '], hang: 1 });
    const heard = chat({ text: 'Tell me a story.', conversationId: 'c1' });
    await until(() => model.chats.length === 1);
    await companion.stop(50);
    expect(dataOf((await heard).end)).toMatchObject({
      code: 'CLOSED',
      replyUnitId: expect.any(Number) as number,
    });
    expect(await memory.conversations.recent('c1', 1)).toMatchObject([
      { text: 'Once ', meta: { interrupted: true } },
    ]);
    await expect(chat('Hi.')).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(companion.notify({ from: 'a', message: 'b' })).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

test('an empty reply of the model is reported as an error', async () => {
  const { chat, model, turns } = await openRig();
  model.reply('  ');
  const { end } = await chat({ text: 'Hello?', conversationId: 'c1' });
  expect(end).toMatchObject({ type: 'error', data: { code: 'MODEL_FAILED', replyUnitId: null } });
  expect(await turns('c1')).toEqual(['user: Hello?']);
});

describe('a message with a message id', () => {
  const request = { text: 'I moved to Kobe.', conversationId: 'c1', messageId: 'm-1' };

  test('is stored once; sending it again returns the stored reply without asking the model', async () => {
    const { chat, model, turns } = await openRig();
    model.reply('Oh, Kobe!', 'Not this.');
    const first = await chat(request);
    const second = await chat(request);
    expect(second.text).toBe('Oh, Kobe!');
    expect(dataOf(second.end)).toMatchObject({
      finishReason: 'repeated',
      userUnitId: dataOf(first.end)?.['userUnitId'],
      replyUnitId: dataOf(first.end)?.['replyUnitId'],
    });
    expect(model.chats).toHaveLength(1);
    expect(await turns('c1')).toEqual(['user: I moved to Kobe.', 'ai: Oh, Kobe!']);
  });

  test('is answered when it has no reply yet', async () => {
    const { chat, model, turns } = await openRig();
    model.reply({ status: 500 }, 'Oh, Kobe!');
    expect((await chat(request)).end).toMatchObject({ type: 'error' });
    expect((await chat(request)).text).toBe('Oh, Kobe!');
    expect(await turns('c1')).toEqual(['user: I moved to Kobe.', 'ai: Oh, Kobe!']);
  });

  test('is stored again under another id', async () => {
    const { chat, model, turns } = await openRig();
    model.answer(() => 'Oh.');
    await chat(request);
    await chat({ ...request, messageId: 'm-2' });
    expect(await turns('c1')).toHaveLength(4);
  });
});
