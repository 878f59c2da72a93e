import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../store/sqlite/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { readIntent } from '../intent.ts';
import { createRecall, type Recall, type RecallOptions } from '../recall.ts';
import { asksForLastConversation } from './lastConversation.ts';

const NOW = '2026-03-11T12:00';
const ZONE = 'Asia/Tokyo';

const asks = (utterance: string, contextLines = 0) =>
  asksForLastConversation(
    utterance,
    readIntent(utterance, [], Date.parse(`${NOW}+09:00`), ZONE).spans,
    contextLines,
  );

describe('an utterance that continues the last conversation without naming a topic', () => {
  it.each([
    'Where were we?',
    'Hi! So, where did we leave off?',
    'Where did we stop last time?',
    'Let’s pick up where we left off.',
    'How far did we get last time?',
    'What were we talking about?',
    'What did we talk about last time?',
    'What did I tell you last time?',
    'Can we continue our last conversation?',
    'Do you remember our last conversation?',
    'What was our previous chat about?',
    'Remind me what we discussed last time, please.',
    'Where did we leave off yesterday?',
    '前回の続きなんだけど、どこまで話したっけ？',
    'どこまで話したっけ',
    'この前の続きから話そう',
    '前回は何の話をしましたか？',
    'この前何話したっけ？',
    'おはよう！前回の会話、覚えてる？',
    '昨日どこまで話したっけ？',
    '前の話の続きをお願いします',
    '最後に何を話していましたか',
    '我们上次聊到哪了？',
    '上次说到哪儿了',
    '你好，我们上次聊了些什么？',
    '接着上次的聊吧',
    '咱们继续上次的话题吧',
    '上次的对话你还记得吗？',
    '我们说到哪里了？',
    '昨天我们聊到哪了？',
  ])('is recognised: %s', (utterance) => {
    expect(asks(utterance)).toBe(true);
  });

  it.each([
    'Where were we when the storm began?',
    'Where did we leave off with the wedding speech?',
    'What did Mia say last time?',
    'What did we decide about the car last time?',
    'Where did you leave the keys?',
    'What did we eat last time?',
    'Where was I yesterday?',
    'Where were we on the 14th of February?',
    'Where did we go last time?',
    'Where did we go yesterday?',
    'How far did I run last time?',
    'How far did we go yesterday?',
    '昨日どこまで行った？',
    '昨日どこまで走ったっけ？',
    '昨天我们走到哪了？',
    'Last time you suggested a slower start.',
    'Let’s continue with the plan.',
    'What did we talk about yesterday?',
    'How are you?',
    'Do you remember me?',
    'What do you want to talk about?',
    'What should we talk about?',
    '何を話したい？',
    '何の話をしようか',
    '我们聊什么呢？',
    '你能说什么？',
    '前回の旅行の続きなんだけど、どこまで話したっけ？',
    'ケンと何を話したっけ？',
    'この前の病院の話、どうなった？',
    'どこまで行くの、明日の遠足',
    '引っ越しの話、どこまで進んだっけ？',
    '昨日何を話した？',
    '我们上次聊的电影叫什么？',
    '装修的事上次说到哪了？',
    '上次小李说了什么？',
    '我继续减肥',
    '昨天我们聊了什么？',
  ])('is not seen in: %s', (utterance) => {
    expect(asks(utterance)).toBe(false);
  });

  it.each(['Where were we?', 'どこまで話したっけ？', '我们聊到哪了？'])(
    'is about the present conversation once it goes on, unless it says “last time”: %s',
    (utterance) => {
      expect(asks(utterance, 2)).toBe(true);
      expect(asks(utterance, 6)).toBe(false);
    },
  );

  it.each(['Where were we last time?', '前回どこまで話したっけ？', '我们上次聊到哪了？'])(
    'is about the last conversation whenever it says “last time”: %s',
    (utterance) => {
      expect(asks(utterance, 6)).toBe(true);
    },
  );

  it('is not “continue” in the middle of a conversation', () => {
    expect(asks('Please continue.', 2)).toBe(false);
    expect(asks('続きをお願い', 2)).toBe(false);
    expect(asks('继续', 2)).toBe(false);
  });
});

describe('the recall of the last conversation', () => {
  let store: Store;
  let recaller: Recall;

  beforeEach(() => {
    store = openSqliteStore(':memory:', { memoryId: 'last', timeZone: ZONE });
    recaller = createRecall({ store, embedder: null, now: Date.now });
  });

  afterEach(async () => {
    await recaller.settled();
    await store.close();
  });

  const recall = (utterance: string, options: RecallOptions = {}) =>
    recaller.recall(utterance, { now: NOW, ...options });

  /** @returns the ids of the units */
  async function say(
    conversationId: string,
    turns: readonly (readonly [at: string, text: string])[],
    firstIndex = 0,
  ): Promise<number[]> {
    const added = await store.evidence.append(
      turns.map(([at, text], i) => ({
        conversationId,
        turnIndex: firstIndex + i,
        speaker: i % 2 === 0 ? 'user' : 'ai',
        text,
        occurredAt: Date.parse(`${at}+09:00`),
        meta: {},
        source: 'chat',
        sensitivity: 'normal',
        scope: 'global',
        imageSummary: null,
        jobKinds: [],
      })),
    );
    return added.map(({ unitId }) => unitId);
  }

  const SPEECH = [
    ['2026-03-09T20:00', 'Help me with my wedding speech.'],
    ['2026-03-09T20:01', 'Begin with how you met.'],
    ['2026-03-09T20:02', 'We met on a ferry. I will write the ending tomorrow.'],
  ] as const;
  const EARLIER = [
    ['2026-03-01T09:00', 'Last time we left off where the time was far.'],
    ['2026-03-01T09:01', 'What were we talking about? 前回の続き。上次聊到。'],
  ] as const;
  const newestFirst = [SPEECH[2][1], SPEECH[1][1], SPEECH[0][1]];

  it.each([
    ['Where were we?', 'from your last conversation'],
    ['What did we talk about last time?', 'from your last conversation'],
    ['前回の続きなんだけど、どこまで話したっけ？', '前回の会話から'],
    ['我们上次聊到哪了？', '是上次对话的内容'],
  ])('injects its last turns, not turns with the same words: %s', async (utterance, reason) => {
    await say('old', EARLIER);
    await say('speech', SPEECH);
    const { hits, inject, metadata } = await recall(utterance);
    expect(inject).toBe(true);
    expect(hits.map((hit) => hit.text)).toEqual(newestFirst);
    expect(hits.every(({ relevance }) => relevance === 'high')).toBe(true);
    expect(hits[0]?.why.sentence).toContain(reason);
    expect(metadata).toMatchObject({
      strategyUsed: 'direct',
      direct: { path: 'last_conversation', target: 'speech' },
    });
  });

  it('leaves out the present conversation, known by what the prompt contains', async () => {
    await say('speech', SPEECH);
    const [asked = 0] = await say('now', [['2026-03-11T11:59', 'Where were we?']]);
    const { hits } = await recall('Where were we?', { exceptUnitIds: [asked] });
    expect(hits.map((hit) => hit.text)).toEqual(newestFirst);
  });

  it('leaves out the present conversation, known by its lines', async () => {
    await say('speech', SPEECH);
    await say('now', [
      ['2026-03-11T11:58', 'Guess who is here!'],
      ['2026-03-11T11:59', 'You are, at last.'],
    ]);
    const context = [
      { speaker: 'user', text: 'Guess who is here!' },
      { speaker: 'ai', text: 'You are, at last.' },
    ];
    const { hits } = await recall('Where were we last time?', { context });
    expect(hits.map((hit) => hit.text)).toEqual(newestFirst);
  });

  it('takes a long pause for the end of a talk where everything is one conversation', async () => {
    await say('all', [...EARLIER, ...SPEECH]);
    const [asked = 0] = await say('all', [['2026-03-11T11:59', 'Where were we?']], 5);
    const { hits } = await recall('Where were we?', { exceptUnitIds: [asked] });
    expect(hits.map((hit) => hit.text)).toEqual(newestFirst);
  });

  it('is not taken when the prompt contains the end of the last talk already', async () => {
    const said = await say('all', [...EARLIER, ...SPEECH]);
    const { metadata } = await recall('Where were we?', { exceptUnitIds: said.slice(-2) });
    expect(metadata.direct).toBeNull();
  });

  it('passes over talks of greetings and of the same question', async () => {
    await say('speech', SPEECH);
    await say('greeting', [
      ['2026-03-10T09:00', 'Good morning!'],
      ['2026-03-10T09:01', 'Good morning! It is a sunny day, would you like to go out?'],
    ]);
    await say('asked', [
      ['2026-03-10T12:00', 'Where were we?'],
      ['2026-03-10T12:01', 'I do not know.'],
    ]);
    const { hits } = await recall('Where were we?');
    expect(hits.map((hit) => hit.text)).toEqual(newestFirst);
  });

  it('takes the last conversation of the day that is named', async () => {
    await say('speech', SPEECH);
    await say('ships', [['2026-03-10T18:00', 'The ships came in.']]);
    await say('today', [['2026-03-11T09:00', 'It rains.']]);
    const { hits } = await recall('Where did we leave off yesterday?');
    expect(hits.map((hit) => hit.text)).toEqual(['The ships came in.']);
  });

  it('is not taken in a memory without an earlier conversation, or without a search for episodes', async () => {
    expect((await recall('Where were we?')).metadata.direct).toBeNull();
    await say('speech', SPEECH);
    expect((await recall('Where were we?', { kinds: ['fact'] })).metadata.direct).toBeNull();
  });
});
