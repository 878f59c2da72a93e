import { describe, expect, test } from 'vitest';
import { DerivationBench } from '../../../test/derivationBench.ts';
import { EMOTION_KEYS, isMemoryError } from '../../model/model.ts';
import { inferEmotion } from '../../llm/llm.ts';
import { createReflectDerivation } from './reflect.ts';

const CALM = Object.fromEntries(EMOTION_KEYS.map((key) => [key, 0]));
const REPLIES = {
  en: {
    text: 'I got the job in Vienna, I could cry!',
    reply: {
      emotion: { ...CALM, joy: 0.9, hope: 0.4, sadness: 0.01 },
      emotionConfidence: 0.9,
      topics: ['new job', 'Vienna'],
      salience: 0.85,
      confidence: 0.95,
      reflection: 'They are overwhelmed with relief after a long search.',
    },
  },
  ja: {
    text: 'ウィーンの仕事が決まった、泣きそう！',
    reply: {
      emotion: { ...CALM, joy: 0.9 },
      emotionConfidence: 0.9,
      topics: ['就職', 'ウィーン'],
      salience: 0.85,
      confidence: 0.95,
      reflection: '長い就職活動が報われ、心からほっとしている。',
    },
  },
  zh: {
    text: '维也纳的工作定下来了，我都快哭了！',
    reply: {
      emotion: { ...CALM, joy: 0.9 },
      emotionConfidence: 0.9,
      topics: ['新工作', '维也纳'],
      salience: 0.85,
      confidence: 0.95,
      reflection: '她找了很久的工作，终于松了一口气。',
    },
  },
} as const;

/** A model's reply about a single turn. */
function reflections(reply: object): object {
  return { reflections: [{ turn: 1, ...reply }] };
}

describe('by rules', () => {
  test.each([
    ['en', 'I am so happy about the puppy we adopted in Boston on 3 May 2025!', 'joy', 'puppy'],
    ['ja', '京都で見た花火、本当に楽しかった！', 'joy', '花火'],
    ['zh', '我们领养的小猫太可爱了，我好开心！', 'joy', '小猫'],
  ])(
    '%s: an episode gets emotion, topics, salience and confidence, and becomes validated',
    async (_, text, key, tag) => {
      const bench = new DerivationBench();
      const ids = await bench.say(text);
      await bench.run(createReflectDerivation(bench.parts), ids);
      const episode = await bench.episode(ids[0]!);
      expect(episode.state).toBe('validated');
      expect(episode.emotion?.values[key as 'joy']).toBeGreaterThan(0.5);
      expect(episode.emotion).toEqual(inferEmotion(text));
      expect(episode.topicTags).toContain(tag);
      expect(episode.confidence).toBeLessThanOrEqual(0.6);
      expect(episode.payload.reflection).toBeNull();
      expect(episode.payload.text).toBe(text);
      const [version] = (await bench.store.units.versions(ids[0]!)).slice(-1);
      expect(version?.reason).toBe('reflect:rules');
    },
  );

  test.each([
    ['en', 'My sister is getting married in June and I am so nervous!', 'Ok, sure.'],
    ['ja', '妹が六月に結婚することになって、私すごく緊張してる！', 'うん、そうだね。'],
    ['zh', '我妹妹六月要结婚了，我特别紧张！', '嗯，好的。'],
  ])('%s: statements about oneself are more salient than small talk', async (_, told, small) => {
    const bench = new DerivationBench();
    const ids = await bench.say(told, small);
    await bench.run(createReflectDerivation(bench.parts), ids);
    const [first, second] = await Promise.all(ids.map((id) => bench.episode(id)));
    expect(first!.salience).toBeGreaterThan(2 * second!.salience);
    expect(second!.salience).toBeLessThan(0.2);
  });

  test('questions and suppositions have less confidence than statements', async () => {
    const bench = new DerivationBench();
    const ids = await bench.say('We live in Lyon.', 'Do you live in Lyon?', 'Maybe we move to Lyon.');
    await bench.run(createReflectDerivation(bench.parts), ids);
    const found = await Promise.all(ids.map(async (id) => (await bench.episode(id)).confidence));
    expect(found).toEqual([0.6, 0.45, 0.4]);
  });

  test('the companion’s own turns are less salient', async () => {
    const bench = new DerivationBench();
    const text = 'I love the mountains in autumn.';
    const ids = await bench.say(text, { speaker: 'ai', text });
    await bench.run(createReflectDerivation(bench.parts), ids);
    const [own, companion] = await Promise.all(ids.map((id) => bench.episode(id)));
    expect(companion!.salience).toBeLessThan(own!.salience);
  });

  test('requests a new capsule once for many episodes', async () => {
    const bench = new DerivationBench();
    const ids = await bench.say('One.', 'Two.', 'Three.');
    await bench.run(createReflectDerivation(bench.parts), ids);
    expect(await bench.store.jobs.list({ limit: 10 })).toMatchObject([
      { kind: 'refresh_capsule', key: 'refresh_capsule', runAfter: bench.now + 5_000 },
    ]);
  });

  test('does not process text that was not stored', async () => {
    const bench = new DerivationBench();
    const ids = await bench.say({ text: '[redacted]', source: 'meta_request' });
    await bench.run(createReflectDerivation(bench.parts), ids);
    expect((await bench.episode(ids[0]!)).state).toBe('raw');
  });
});

describe('with a model', () => {
  test.each(['en', 'ja', 'zh'] as const)('%s: stores the model’s reply', async (language) => {
    const bench = new DerivationBench();
    const { text, reply } = REPLIES[language];
    const ids = await bench.say('…', text);
    bench.replies(reflections(reply));
    await bench.run(createReflectDerivation(bench.parts), [ids[1]!]);
    expect(await bench.episode(ids[1]!)).toMatchObject({
      state: 'validated',
      emotion: { confidence: 0.9, values: { joy: 0.9 } },
      topicTags: reply.topics,
      salience: 0.85,
      confidence: 0.95,
      payload: { reflection: reply.reflection },
    });
    expect((await bench.episode(ids[1]!)).emotion?.values).not.toHaveProperty('sadness');
    const [asked] = bench.asked;
    expect(asked?.messages[0]?.content).toContain(text);
    expect(asked?.system).toMatch({ en: /You keep/, ja: /あなた/, zh: /你负责/ }[language]);
  });

  test.each([
    ['an emotion out of range', { emotion: { ...CALM, joy: 3 } }],
    ['a missing emotion', { emotion: { joy: 1 } }],
    ['no salience', { salience: undefined }],
    ['text instead of a number', { confidence: 'high' }],
  ])('an invalid reply changes nothing: %s', async (_, wrong) => {
    const bench = new DerivationBench();
    const ids = await bench.say(REPLIES.en.text);
    bench.replies(reflections({ ...REPLIES.en.reply, ...wrong }));
    const before = await bench.state();
    const failure = await bench
      .run(createReflectDerivation(bench.parts), ids)
      .catch((error: unknown) => error);
    expect(isMemoryError(failure, 'MODEL_FAILED')).toBe(true);
    expect(await bench.state()).toEqual(before);
  });

  test.each([
    ['another language', '彼は喜んでいる。'],
    ['the text itself', 'I got the job in Vienna, I could cry!'],
    ['the instructions', 'You keep the long-term memory of a conversation.'],
    ['a section of the pack', '[STABLE_FACTS] The user is happy.'],
    ['nothing', ' '],
    ['too long', 'They are happy. '.repeat(40)],
  ])('a reflection that is %s is dropped', async (_, reflection) => {
    const bench = new DerivationBench();
    const ids = await bench.say(REPLIES.en.text);
    bench.replies(reflections({ ...REPLIES.en.reply, reflection }));
    await bench.run(createReflectDerivation(bench.parts), ids);
    expect(await bench.episode(ids[0]!)).toMatchObject({ state: 'validated', payload: { reflection: null } });
  });

  test('topics that are in another language, empty, long or like a heading are dropped', async () => {
    const bench = new DerivationBench();
    const ids = await bench.say(REPLIES.ja.text);
    const topics = ['#就職', 'job hunting', '', '就職', '[OPEN_LOOPS]', '仕事'.repeat(20), 'ウィーン'];
    bench.replies(reflections({ ...REPLIES.ja.reply, topics }));
    await bench.run(createReflectDerivation(bench.parts), ids);
    expect((await bench.episode(ids[0]!)).topicTags).toEqual(['就職', 'ウィーン']);
  });
});

describe('a second run', () => {
  test.each(['rules', 'model'] as const)(
    'by %s changes nothing, and does not ask the model again',
    async (form) => {
      const bench = new DerivationBench();
      const ids = await bench.say(REPLIES.en.text);
      if (form === 'model') bench.replies(reflections(REPLIES.en.reply));
      await bench.run(createReflectDerivation(bench.parts), ids);
      const before = await bench.state();
      await bench.run(createReflectDerivation(bench.parts), ids);
      expect(await bench.state()).toEqual(before);
      expect(bench.asked).toHaveLength(form === 'model' ? 1 : 0);
    },
  );

  test('by rules does not undo what the model found', async () => {
    const bench = new DerivationBench();
    const ids = await bench.say(REPLIES.ja.text);
    bench.replies(reflections(REPLIES.ja.reply));
    await bench.run(createReflectDerivation(bench.parts), ids);
    const before = await bench.episode(ids[0]!);
    bench.model = null;
    await bench.run(createReflectDerivation(bench.parts), ids);
    expect(await bench.episode(ids[0]!)).toEqual(before);
  });

  test('by a model replaces the result of rules', async () => {
    const bench = new DerivationBench();
    const ids = await bench.say(REPLIES.zh.text);
    await bench.run(createReflectDerivation(bench.parts), ids);
    bench.replies(reflections(REPLIES.zh.reply));
    await bench.run(createReflectDerivation(bench.parts), ids);
    expect((await bench.episode(ids[0]!)).payload.reflection).toBe(REPLIES.zh.reply.reflection);
  });

  test.each(['before it', 'after it'])('keeps a correction by a person %s', async (when) => {
    const bench = new DerivationBench();
    const [unitId = 0] = await bench.say(REPLIES.en.text);
    const reflect = () => bench.run(createReflectDerivation(bench.parts), [unitId]);
    if (when === 'after it') await reflect();
    const set = { salience: 0.1, topicTags: ['my own tag'] };
    await bench.store.units.save([{ type: 'update', unitId, set, reason: 'edited' }]);
    bench.replies(reflections(REPLIES.en.reply));
    await reflect();
    const episode = await bench.episode(unitId);
    expect(episode).toMatchObject({ ...set, state: 'validated' });
    expect(episode.payload.reflection).toBe(REPLIES.en.reply.reflection);
  });
});
