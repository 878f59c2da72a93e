import { describe, expect, test } from 'vitest';
import { learnt } from '../../../test/derive/learnt.ts';
import { DeriveRig } from '../../../test/derive/rig.ts';
import { EMOTION_KEYS, MemoryError } from '../../model/model.ts';
import { createDerivations } from '../derive.ts';

const CALM = Object.fromEntries(EMOTION_KEYS.map((key) => [key, 0]));
const SAID = {
  emotion: CALM,
  emotionConfidence: 0.8,
  topics: [],
  salience: 0.4,
  confidence: 0.9,
  reflection: '',
};
const FACT = {
  subject: 'user',
  predicate: 'lives in',
  object: 'Osaka',
  validFrom: null,
  validTo: null,
  confidence: 0.9,
  quote: 'moved to Osaka',
  contradicts: null,
};
const LOOP = { text: 'Call the dentist', due: null, confidence: 0.8, quote: 'call the dentist' };

class LearnRig extends DeriveRig {
  readonly learn = createDerivations(this.parts)[0]!;

  /** The user message of the last request. */
  get told(): string {
    return this.asked.at(-1)?.messages[0]?.content ?? '';
  }
}

async function exchange(rig: LearnRig): Promise<[number, number]> {
  const said = await rig.say('I moved to Osaka and must call the dentist.', '2024-01-10T12:00Z');
  const replied = await rig.say('Osaka, how exciting!', '2024-01-10T12:01Z', 'ai');
  return [said, replied];
}

describe('an exchange', () => {
  test('is one request, and everything is derived from its reply', async () => {
    const rig = new LearnRig();
    rig.reply = () =>
      learnt({
        reflections: [
          { ...SAID, turn: 1, topics: ['Osaka'], salience: 0.8 },
          { ...SAID, turn: 2, salience: 0.2 },
        ],
        entities: [
          { known: null, name: 'Osaka', type: 'place', aliases: [], surface: 'Osaka', confidence: 0.9 },
        ],
        facts: [FACT],
        loops: [LOOP],
        topic: { decision: 'NEW', topicId: null, title: 'Moving to Osaka', summary: 'They moved.' },
        moment: 'They are talking about the move to Osaka.',
      });
    const [said, replied] = await exchange(rig);
    await rig.run(rig.learn, said);
    await rig.run(rig.learn, replied);
    expect(rig.asked).toHaveLength(1);
    expect(rig.told).toContain('#1 2024-01-10 (Wed) 12:00 user: I moved to Osaka');
    expect(rig.told).toContain('#2 2024-01-10 (Wed) 12:01 ai: Osaka, how exciting!');
    expect(await rig.list('episode')).toMatchObject([
      { state: 'validated', salience: 0.8, topicTags: ['Osaka'] },
      { state: 'validated', salience: 0.2 },
    ]);
    expect(await rig.list('fact')).toMatchObject([{ payload: { object: 'Osaka', evidence: [said] } }]);
    expect(await rig.list('loop')).toMatchObject([
      { payload: { text: 'Call the dentist', evidence: [said] } },
    ]);
    expect(await rig.list('capsule')).toMatchObject([{ source: 'refresh_capsule' }]);
    expect((await rig.store.entities.list({}, { limit: 9 })).map(({ name }) => name)).toEqual(['Osaka']);
    const topics = await rig.store.topics.ofUnits([said, replied]);
    expect(topics.get(said)).toEqual(topics.get(replied));
    expect(await rig.store.topics.get([topics.get(said)![0]!])).toMatchObject([{ title: 'Moving to Osaka' }]);
  });

  test.each([
    ['reminder', 'ai'],
    ['notification', 'ai'],
    ['notification', 'notification'],
  ])('as a %s by %s costs a request only when it reports something', async (source, speaker) => {
    const rig = new LearnRig();
    rig.reply = () => learnt({ reflections: [{ ...SAID, turn: 1 }] });
    const id = await rig.say('The dentist is at 9:30 tomorrow.', '2024-01-10T12:00Z', speaker, { source });
    await rig.run(rig.learn, id);
    expect(rig.asked).toHaveLength(speaker === 'ai' ? 0 : 1);
  });

  test('is processed by rules when the reply is invalid, and the model is not asked again', async () => {
    const rig = new LearnRig();
    rig.reply = () => {
      throw new MemoryError('MODEL_FAILED', 'no reply of the form', { reason: 'schema' });
    };
    const [said, replied] = await exchange(rig);
    await rig.run(rig.learn, said);
    await rig.run(rig.learn, replied);
    expect(rig.asked).toHaveLength(1);
    expect(await rig.list('fact')).toMatchObject([{ source: 'extract_facts:rules' }]);
    expect((await rig.list('episode')).every(({ state }) => state === 'validated')).toBe(true);
  });

  test('is postponed while the model cannot be reached', async () => {
    const rig = new LearnRig();
    rig.reply = () => {
      throw new MemoryError('MODEL_FAILED', 'down', { retryable: true });
    };
    const [said] = await exchange(rig);
    await expect(rig.run(rig.learn, said)).rejects.toThrow('down');
    rig.reply = () => learnt({ facts: [FACT] });
    await rig.run(rig.learn, said);
    expect(await rig.list('fact')).toHaveLength(1);
  });

  test('uses rules for a turn that is missing in the reply', async () => {
    const rig = new LearnRig();
    rig.reply = () => learnt({ reflections: [{ ...SAID, turn: 1, salience: 0.77 }] });
    const [said, replied] = await exchange(rig);
    await rig.run(rig.learn, said);
    const reasons = await Promise.all(
      [said, replied].map(async (id) => (await rig.store.units.versions(id)).at(-1)?.reason),
    );
    expect(reasons).toEqual(['reflect', 'reflect:rules']);
  });
});

describe('a long conversation', () => {
  test('is processed six turns at a time', async () => {
    const rig = new LearnRig();
    rig.reply = () => learnt();
    const ids: number[] = [];
    for (let i = 0; i < 13; i += 1)
      ids.push(await rig.say(`Turn ${i} of the talk.`, `2024-01-10T12:${String(i).padStart(2, '0')}Z`));
    for (const id of ids) await rig.run(rig.learn, id);
    expect(rig.asked).toHaveLength(3);
  });

  test('never shows sensitive turns to the model together with less sensitive ones', async () => {
    const rig = new LearnRig();
    rig.reply = () => learnt();
    const open = await rig.say('Hello there.', '2024-01-10T12:00Z');
    const secret = await rig.say('My PIN is 4711.', '2024-01-10T12:01Z', 'user', { sensitivity: 'secret' });
    await rig.run(rig.learn, open);
    expect(rig.told).not.toContain('4711');
    await rig.run(rig.learn, secret);
    expect(rig.told).toContain('4711');
  });
});

test('topics of the same words are one tag in every spelling', async () => {
  const rig = new LearnRig();
  const tagged = (topic: string) => () => learnt({ reflections: [{ ...SAID, turn: 1, topics: [topic] }] });
  const ids: number[] = [];
  for (const [i, topic] of ['piano lessons', 'Ｐｉａｎｏ Lesson.', '#Piano lessons'].entries()) {
    rig.reply = tagged(topic);
    const id = await rig.say(`About my piano, part ${i}.`, `2024-01-1${i}T12:00Z`);
    await rig.run(rig.learn, id);
    ids.push(id);
  }
  const episodes = await rig.list('episode');
  expect(episodes.map(({ topicTags }) => topicTags)).toEqual([
    ['piano lessons'],
    ['piano lessons'],
    ['piano lessons'],
  ]);
});
