import { describe, expect, test } from 'vitest';
import { DeriveRig } from '../../../test/derive/rig.ts';
import { createLoopsDerivation } from './loops.ts';

const DAY = 86_400_000;

class LoopsRig extends DeriveRig {
  readonly derivation = createLoopsDerivation(this.parts);

  /** Adds a turn, by default on a Wednesday, and runs the derivation. */
  async tell(text: string, at = '2024-01-10T12:00Z', speaker = 'user'): Promise<number> {
    const unitId = await this.say(text, at, speaker);
    await this.run(this.derivation, unitId);
    return unitId;
  }

  async statuses(): Promise<string[]> {
    return (await this.list('loop')).map(({ payload }) => payload.status);
  }
}

/** The last millisecond of a day. */
function endOf(date: string): number {
  return Date.parse(`${date}T00:00Z`) + DAY - 1;
}

describe('open loops by rules', () => {
  test.each([
    ['I have to submit the report by Friday.', endOf('2024-01-12')],
    ['Can you remind me to call the dentist tomorrow?', endOf('2024-01-11')],
    ['Could you remind me about the keys on Friday?', endOf('2024-01-12')],
    ["I'll call my mother tomorrow.", endOf('2024-01-11')],
    ['I need to renew my passport.', null],
    ['My interview is on January 15th at 3 pm.', Date.parse('2024-01-15T15:00Z')],
    ["Let's go hiking next Saturday!", endOf('2024-01-20')],
    ['明日、歯医者に行かなきゃ。', endOf('2024-01-11')],
    ['金曜日までにレポートを出さないといけない。', endOf('2024-01-12')],
    ['来週、大阪に行く予定です。', endOf('2024-01-21')],
    ['今度一緒に映画を観ようね。', null],
    ['1月15日に面接があるんです。', endOf('2024-01-15')],
    ['明日の朝7時に起こして、忘れないように言ってね。', Date.parse('2024-01-11T07:00Z')],
    ['我明天要去看牙医。', endOf('2024-01-11')],
    ['记得提醒我周五交报告。', endOf('2024-01-12')],
    ['我打算学日语。', null],
    ['下周我有一个面试。', endOf('2024-01-21')],
    ['改天一起吃饭吧。', null],
    ['todo: renew passport', null],
    ['I should really call my mum', null],
    ['dont let me forget to water the plants', null],
    ['I promised Priya a cake for Saturday', endOf('2024-01-13')],
    ['金曜までにレポート提出', endOf('2024-01-12')],
    ['明天要给奶奶打电话', endOf('2024-01-11')],
    ['该交房租了', null],
    ['机票还没买', null],
  ])('%s', async (text, dueAt) => {
    const rig = new LoopsRig();
    const unitId = await rig.tell(text);
    const [loop, ...others] = await rig.list('loop');
    expect(others).toEqual([]);
    expect(loop).toMatchObject({
      source: 'extract_loops:rules',
      payload: { dueAt, status: 'open', evidence: [unitId] },
      expiresAt: dueAt === null ? rig.now + 60 * DAY : dueAt + 14 * DAY,
    });
    expect(loop!.confidence).toBeLessThanOrEqual(0.6);
    expect(text).toContain(loop!.payload.text);
  });

  test.each([
    'I have to say, that was lovely.',
    'Do you have to work tomorrow?',
    'If it rains tomorrow I will stay home.',
    'These photos remind me of my grandmother.',
    'I went to the dentist yesterday.',
    '明日は雨が降るらしい。',
    '昨日、歯医者に行きました。',
    '行くつもりはないよ。',
    'あったかくして、今日はもう寝ようか。',
    '你明天要去看牙医吗？',
    '我昨天去看牙医了。',
    '明天可能会下雨。',
    'I should sleep',
    'I promised him yesterday',
    'I should really know better',
    'そろそろ寝なきゃ',
    'もう行かなきゃ',
    '我得去睡了',
    '妈妈明天要做手术',
    '我老公明天要值班',
    '他还没交作业',
    '该来的总会来了',
  ])('finds nothing in %s', async (text) => {
    const rig = new LoopsRig();
    await rig.tell(text);
    expect(await rig.list('loop')).toEqual([]);
  });

  test.each([
    ["I'll remind you to call your mother tomorrow.", 'ai: '],
    ['明日の朝、リマインドしますね。', 'ai: '],
    ['明天我会提醒你吃药。', 'ai: '],
  ])('assigns what the companion promises to the companion: %s', async (text, prefix) => {
    const rig = new LoopsRig();
    await rig.tell(text, '2024-01-10T12:00Z', 'ai');
    const [loop] = await rig.list('loop');
    expect(loop!.payload.text.startsWith(prefix)).toBe(true);
    expect(loop!.payload.dueAt).not.toBeNull();
  });

  test('dates are in the memory’s time zone', async () => {
    const rig = new LoopsRig('Asia/Tokyo');
    // Already Thursday in Tokyo.
    await rig.tell('明日、歯医者に行かなきゃ。', '2024-01-10T16:00Z');
    expect((await rig.list('loop'))[0]!.payload.dueAt).toBe(Date.parse('2024-01-13T00:00+09:00') - 1);
  });

  test('leaves out an interjection, but does not cut a word that begins like one', async () => {
    const rig = new LoopsRig();
    await rig.tell('あ、明日、歯医者に行かなきゃ。');
    await rig.tell('あさって、病院に行かなきゃ。');
    const texts = (await rig.list('loop')).map(({ payload }) => payload.text);
    expect(texts.toSorted()).toEqual(['あさって、病院に行かなきゃ', '明日、歯医者に行かなきゃ']);
  });
});

describe('later turns, by rules', () => {
  test.each([
    ['I have to submit the report by Friday.', 'I finally submitted the report!', 'done'],
    ["I'll call my mother tomorrow.", 'I called my mother, she is fine.', 'done'],
    ['I need to renew my passport.', "Turns out I don't need to renew my passport.", 'dropped'],
    ['明日、歯医者に行かなきゃ。', '歯医者、行ってきたよ。', 'done'],
    ['金曜日までにレポートを出さないといけない。', 'レポート、やっと出した！', 'done'],
    ['来週、大阪に行く予定です。', '大阪に行くのはやめました。', 'dropped'],
    ['记得提醒我周五交报告。', '报告已经交了。', 'done'],
    ['我明天要去看牙医。', '牙医看完了，没有蛀牙。', 'done'],
    ['下周我有一个面试。', '面试取消了。', 'dropped'],
  ])('%s … %s', async (plan, end, status) => {
    const rig = new LoopsRig();
    const one = await rig.tell(plan, '2024-01-10T12:00Z');
    await rig.tell('I had soup for lunch.', '2024-01-11T10:00Z');
    const other = await rig.tell(end, '2024-01-11T12:00Z');
    expect(await rig.list('loop')).toMatchObject([{ payload: { status, evidence: [one, other] } }]);
  });

  test.each([
    "I haven't submitted the report.",
    'I submitted my vacation request.',
    'Did I submit the report?',
  ])('the loop stays open after %s', async (text) => {
    const rig = new LoopsRig();
    await rig.tell('I have to submit the report by Friday.');
    await rig.tell(text, '2024-01-11T12:00Z');
    expect(await rig.statuses()).toEqual(['open']);
  });

  test('the loop with the same words is closed, and no other', async () => {
    const rig = new LoopsRig();
    await rig.tell('I have to submit the report by Friday.');
    await rig.tell('I have to buy a present for Anna by Friday.');
    await rig.tell('I bought the present for Anna.', '2024-01-11T12:00Z');
    expect(await rig.statuses()).toEqual(['open', 'done']);
  });

  test('a loop that is repeated with another date is moved, not duplicated', async () => {
    const rig = new LoopsRig();
    const one = await rig.tell('I have to submit the report by Friday.');
    const other = await rig.tell('I have to submit the report by Sunday.', '2024-01-11T12:00Z');
    expect(await rig.list('loop')).toMatchObject([
      {
        reinforcement: 1,
        payload: { dueAt: endOf('2024-01-14'), evidence: [one, other] },
        expiresAt: endOf('2024-01-14') + 14 * DAY,
      },
    ]);
  });

  test('a second run, alone or in a batch, changes nothing', async () => {
    const rig = new LoopsRig();
    const ids = [
      await rig.say('I have to submit the report by Friday.', '2024-01-10T12:00Z'),
      await rig.say('I have to submit the report by Sunday.', '2024-01-11T12:00Z'),
      await rig.say('I submitted the report.', '2024-01-12T12:00Z'),
    ];
    await rig.run(rig.derivation, ...ids);
    const loops = await rig.list('loop');
    expect(loops.map(({ payload }) => payload.status)).toEqual(['done']);
    await rig.run(rig.derivation, ...ids);
    for (const id of ids) await rig.run(rig.derivation, id);
    expect(await rig.list('loop')).toEqual(loops);
  });
});

describe('open loops by a model', () => {
  const found = { text: 'Submit the report', due: '2024-01-12', confidence: 0.8, quote: 'report' };

  test('are stored with the end of the day, closed by number, and requested once only', async () => {
    const rig = new LoopsRig();
    rig.reply = () => ({ loops: [found], ended: [] });
    const one = await rig.tell('The report, Friday, again.');
    await rig.run(rig.derivation, one);
    expect(rig.asked).toHaveLength(1);
    const [loop] = await rig.list('loop');
    expect(loop).toMatchObject({
      source: 'extract_loops',
      payload: { text: 'Submit the report', dueAt: endOf('2024-01-12') },
    });
    rig.reply = () => ({ loops: [], ended: [{ loop: loop!.id, status: 'done', quote: 'Off it went' }] });
    await rig.tell('Off it went!', '2024-01-11T12:00Z');
    expect(rig.asked[1]!.messages[0]!.content).toContain(
      `${loop!.id}: Submit the report (2024-01-10, → 2024-01-12)`,
    );
    expect(await rig.statuses()).toEqual(['done']);
  });

  test('a date that the model leaves out is read from the text', async () => {
    const rig = new LoopsRig();
    rig.reply = () => ({ loops: [{ ...found, due: null }], ended: [] });
    await rig.tell('The report is for tomorrow. Friday is my birthday.');
    expect((await rig.list('loop'))[0]!.payload.dueAt).toBe(endOf('2024-01-11'));
  });

  test.each([
    ['text that was not said', { loops: [{ ...found, quote: 'the invoice' }], ended: [] }],
    ['an unknown number', { loops: [], ended: [{ loop: 99, status: 'done', quote: 'report' }] }],
    ['no text', { loops: [{ ...found, text: '' }], ended: [] }],
  ])('an answer with %s changes nothing', async (_, reply) => {
    const rig = new LoopsRig();
    rig.reply = () => reply;
    await rig.tell('The report again.');
    expect(await rig.list('loop')).toEqual([]);
  });
});
