import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newUnitSchema, type Unit } from '../../model/model.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { asksOnlyAboutDays } from './days.ts';
import { readIntent } from '../intent.ts';
import { createRecall, type Recall, type RecallOptions } from '../recall.ts';

/** A Wednesday, noon in Tokyo. */
const NOW = '2026-03-11T12:00';
const ZONE = 'Asia/Tokyo';

let store: Store;
let recaller: Recall;

beforeEach(() => {
  store = openSqliteStore(':memory:', { memoryId: 'direct', timeZone: ZONE });
  recaller = createRecall({ store, embedder: null, now: Date.now });
});

afterEach(async () => {
  await recaller.settled();
  await store.close();
});

const recall = (utterance: string, options: RecallOptions = {}) =>
  recaller.recall(utterance, { now: NOW, ...options });

async function say(turns: readonly (readonly [at: string, text: string])[]): Promise<void> {
  await store.evidence.append(
    turns.map(([at, text], turnIndex) => ({
      conversationId: 'c',
      turnIndex,
      speaker: turnIndex % 2 === 0 ? 'user' : 'ai',
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
}

async function note(uri: string, section: string, text: string, at = '2026-02-01T00:00'): Promise<Unit> {
  const unit = newUnitSchema.parse({
    occurredAt: Date.parse(`${at}+09:00`),
    content: { kind: 'note', payload: { uri, section, memoryType: 'note', text, tokenCount: 5 } },
  });
  const [saved] = await store.units.save([{ type: 'add', unit, reason: 'test' }]);
  return saved as Unit;
}

describe('the path to a memory file', () => {
  it.each([
    ['user/preferences.md', 'what are my preferences?'],
    ['user/preferences.md', 'preferences'],
    ['user/preferences.md', '私の好みは？'],
    ['user/preferences.md', '私の好みは何ですか'],
    ['user/preferences.md', '我的偏好是什么'],
    ['user/instructions.md', 'Show me the rules.'],
    ['user/instructions.md', '今の指示を教えて'],
    ['user/instructions.md', '我的规则有哪些？'],
    ['TASKS.md', 'List my tasks'],
    ['TASKS.md', '今のタスクは？'],
    ['TASKS.md', '当前的任务是什么？'],
    ['agent/decisions.md', 'what are our decisions?'],
    ['agent/decisions.md', '決定事項を見せて'],
    ['agent/decisions.md', '列出所有决策'],
    ['agent/patterns.md', 'Which patterns are there?'],
    ['user/entities.md', '人物を教えて'],
  ])('leads to %s: %s', async (uri, utterance) => {
    const unit = await note(uri, 'One', 'The words of the file.');
    await note('user/other.md', 'Other', utterance);
    const { hits, inject, metadata } = await recall(utterance);
    expect(metadata).toMatchObject({
      strategyUsed: 'direct',
      direct: { path: 'note', target: uri },
      vectors: 'not_wanted',
    });
    expect(hits.map((hit) => hit.unitId)).toEqual([unit.id]);
    expect(inject).toBe(true);
  });

  it.each([
    'what did she say about her task force',
    'what do people say about the rules of chess?',
    'I have no preferences about dinner',
    'My task today was awful',
    '好みのタイプの話、したよね',
    '決定！',
    '彼の好みは何だっけ、コーヒー？',
    '他的任务好像很难',
    '我们决定去京都吧',
    '我最喜欢的人物是谁？',
  ])('is not taken for: %s', async (utterance) => {
    const files = ['preferences', 'instructions', 'entities'].map((name) => `user/${name}.md`);
    for (const uri of [...files, 'TASKS.md', 'agent/decisions.md', 'agent/patterns.md'])
      await note(uri, 'One', 'The words of the file.');
    expect((await recall(utterance)).metadata.direct).toBeNull();
  });

  it('returns the sections in the order of the file', async () => {
    const uri = 'user/preferences.md';
    const units = [
      await note(uri, 'Food', 'No coriander at all, ever.'),
      await note(uri, 'Drinks', 'Green tea in the morning.', '2026-03-01T00:00'),
      await note(uri, 'Music', 'Quiet piano while working.', '2026-02-10T00:00'),
    ];
    const unitIds = [units[2], units[0], units[1]].map((unit) => unit?.id ?? 0);
    const file = { uri, scope: 'global', hash: '', sizeBytes: 1, modifiedAt: 1, unitIds } as const;
    await store.noteFiles.apply({ upserts: [file], removals: [], changes: [], unitJobKinds: [] });
    const { hits } = await recall('what are my preferences?');
    expect(hits.map((hit) => hit.unitId)).toEqual(unitIds);
  });

  it('is not taken when the file does not exist, or notes are excluded', async () => {
    await say([['2026-03-01T09:00', 'My preferences changed a lot.']]);
    expect((await recall('what are my preferences?')).metadata.direct).toBeNull();
    await note('user/preferences.md', 'Food', 'No coriander.');
    const { hits, metadata } = await recall('what are my preferences?', { kinds: ['episode'] });
    expect(metadata.direct).toBeNull();
    expect(hits.every((hit) => hit.kind === 'episode')).toBe(true);
  });

  it('is not taken when a strategy is forced', async () => {
    await note('user/preferences.md', 'Food', 'No coriander.');
    const { metadata } = await recall('what are my preferences?', { strategy: 'hybrid' });
    expect(metadata).toMatchObject({ strategyUsed: 'hybrid', direct: null });
  });
});

describe('the path to recent days', () => {
  const days = [
    ['2026-03-09T20:00', 'Monday: we watched the ships come in.'],
    ['2026-03-10T08:00', 'Tuesday morning: the train was late again.'],
    ['2026-03-10T19:00', 'Tuesday evening: I baked bread with Leo.'],
    ['2026-03-11T09:00', 'Wednesday: rain all morning.'],
  ] as const;

  it.each(['What did we talk about yesterday?', '昨日何を話した？', '昨天我们聊了什么？'])(
    'returns what was said, newest first, without a search: %s',
    async (utterance) => {
      await say(days);
      const { hits, metadata, trace } = await recall(utterance, { explain: true });
      expect(metadata).toMatchObject({ strategyUsed: 'direct', direct: { path: 'timeline' } });
      expect(hits.map((hit) => hit.text)).toEqual([days[2][1], days[1][1]]);
      expect(trace?.searches).toEqual([]);
    },
  );

  it('keeps the budget and the limit, preferring the newest', async () => {
    await say(days);
    const ask = (options: RecallOptions) => recall('What happened in the last few days?', options);
    const whole = await ask({});
    expect(whole.hits.length).toBeGreaterThanOrEqual(3);
    const [first, second] = whole.hits;
    const budgetTokens = (first?.tokens ?? 0) + (second?.tokens ?? 0);
    const cut = await ask({ budgetTokens });
    expect(cut.hits.map((hit) => hit.unitId)).toEqual([first?.unitId, second?.unitId]);
    expect((await ask({ limit: 1 })).hits.map((hit) => hit.unitId)).toEqual([first?.unitId]);
  });

  it('applies the filters of the recall', async () => {
    await say(days);
    const before = await recall('What did we talk about yesterday?', { to: '2026-03-10T12:00' });
    expect(before.hits.map((hit) => hit.text)).toEqual([days[1][1]]);
    const elsewhere = await recall('What did we talk about yesterday?', { conversationId: 'other' });
    expect(elsewhere.hits).toEqual([]);
  });

  it('prefers the journal of those days if there is one', async () => {
    await say(days);
    const entry = await note(
      'journal/2026-03-10.md',
      '',
      'Baked bread. The train was late.',
      '2026-03-10T00:00',
    );
    await note('user/preferences.md', 'Food', 'No coriander.', '2026-03-10T00:00');
    const { hits } = await recall('What did we talk about yesterday?');
    expect(hits.map((hit) => hit.unitId)).toEqual([entry.id]);
  });

  it('uses the journal of a day for a part of that day', async () => {
    const entry = await note('journal/2026-03-10.md', '', 'Baked bread.', '2026-03-10T00:00');
    const { hits } = await recall('What did we talk about yesterday evening?');
    expect(hits.map((hit) => hit.unitId)).toEqual([entry.id]);
  });

  it('is not taken when nothing was said then', async () => {
    await say(days);
    const { metadata } = await recall('What did we talk about yesterday?', { now: '2026-05-01T12:00' });
    expect(metadata.direct).toBeNull();
  });
});

describe('a question about days only', () => {
  const timesIn = (utterance: string) => readIntent(utterance, [], Date.parse(NOW), ZONE).spans;

  it.each([
    'What did we discuss today?',
    'What have I been up to lately?',
    'Recap our conversation from yesterday',
    'Summarise last week, please.',
    'Tell me about yesterday',
    'what did we work on two weeks ago?',
    'what did we get done last week',
    'What did I get up to last Saturday?',
    'what have i been doing this week',
    'what was I up to on Monday?',
    'how was my weekend?',
    '先週末なにやってたっけ',
    '先週何の作業したっけ',
    '上周末我都干嘛了',
    '过年的时候我都干嘛了',
    '上个月都忙了些什么',
    '昨日は何の話をしたっけ？',
    '先週どんなことがあった？',
    '昨日の会話をまとめて',
    '昨日の出来事を教えて',
    '上周发生了什么事？',
    '前天我做了什么？',
    '总结一下昨天的对话',
    '这几天我们都聊了些什么？',
  ])('is: %s', (utterance) => {
    expect(asksOnlyAboutDays(utterance, timesIn(utterance))).toBe(true);
  });

  it.each([
    // Something else is asked for.
    'What did Mia say about the cat yesterday?',
    'What did we eat yesterday?',
    'What happened to Leo last week?',
    '昨日ケンと何を話した？',
    '昨日何を食べた？',
    '昨日の会議どうだった？',
    '昨天我们和小李聊了什么？',
    '昨天我吃了什么？',
    '上周的面试怎么样？',
    'What did Jo get up to last Saturday?',
    'how was the wedding on Saturday?',
    '先週ミカと何やってた？',
    '上周末和小李干嘛去了',
    // Small talk and plans.
    'How was your weekend?',
    '你今天干嘛',
    'How are you today?',
    'What should I do today?',
    'What do I have today?',
    '最近どう？',
    '今日は何しよう？',
    '最近怎么样？',
    '今天做什么？',
    // Nothing is asked.
    'We talked yesterday.',
    'I was there yesterday',
    'I did everything today',
    '昨日はしんどかった',
    '昨日は何も話してないよ',
    '昨天很累',
    '昨天什么都没做',
  ])('is not: %s', (utterance) => {
    expect(timesIn(utterance)).toHaveLength(1);
    expect(asksOnlyAboutDays(utterance, timesIn(utterance))).toBe(false);
  });

  it('is not a long text', () => {
    const speech = `What did we do yesterday? ${'And what did you say? '.repeat(20)}`;
    expect(asksOnlyAboutDays(speech, [{ words: 'yesterday' }])).toBe(false);
  });
});
