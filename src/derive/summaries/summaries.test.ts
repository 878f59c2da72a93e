import { describe, expect, test } from 'vitest';
import { DeriveRig } from '../../../test/derive/rig.ts';
import { createSummariesDerivation, summaryJobs } from './summaries.ts';
import { rangeOfWeek, weekOf } from './week.ts';

const HOUR = 3_600_000;
const WEEK = { scope: 'weekly', scopeKey: '2024-W02' } as const;

class SummariesRig extends DeriveRig {
  readonly derivation = createSummariesDerivation(this.parts);

  async sumUp(subject: { scope: string; scopeKey: string } = WEEK): Promise<void> {
    await this.runJobs(this.derivation, [subject]);
  }
}

const TALK = {
  en: [
    'My sister Mia visited us in Lyon on the weekend.',
    'Mia and I baked a lemon cake for the neighbours.',
    'The lemon cake was gone in ten minutes!',
    'How was your evening?',
    'My sister wants to open a bakery in Lyon next year.',
    'ok',
    'Mia will ask the bank about money for the bakery.',
    'I slept badly because of the storm.',
  ],
  ja: [
    '週末に妹のミアがリヨンに来ました。',
    '妹と一緒にレモンケーキを焼きました。',
    'レモンケーキは十分でなくなったよ。',
    '今夜はどうだった？',
    '妹は来年リヨンでパン屋を開きたいそうです。',
    'うん',
    '妹はパン屋のお金のことを銀行に相談します。',
    '嵐のせいであまり眠れなかった。',
  ],
  zh: [
    '周末我妹妹米娅来里昂看我们。',
    '我和妹妹一起烤了柠檬蛋糕。',
    '柠檬蛋糕十分钟就吃完了。',
    '今晚过得怎么样？',
    '妹妹想明年在里昂开一家面包店。',
    '嗯',
    '妹妹要去银行问开面包店的贷款。',
    '因为暴风雨我没睡好。',
  ],
};

async function talk(rig: SummariesRig, lines: readonly string[]): Promise<number[]> {
  const ids = [];
  for (const [i, line] of lines.entries()) ids.push(await rig.say(line, `2024-01-10T1${i}:00Z`));
  return ids;
}

describe('weeks', () => {
  test.each([
    ['2024-01-01T00:00Z', 'UTC', '2024-W01'],
    ['2023-01-01T12:00Z', 'UTC', '2022-W52'],
    ['2020-12-31T12:00Z', 'UTC', '2020-W53'],
    ['2024-01-07T20:00Z', 'Asia/Tokyo', '2024-W02'],
    ['2024-01-08T03:00Z', 'America/New_York', '2024-W01'],
  ])('%s in %s is in %s', (at, timeZone, week) => {
    const instant = Date.parse(at);
    expect(weekOf(instant, timeZone)).toBe(week);
    const { from, to } = rangeOfWeek(week, timeZone)!;
    expect(from).toBeLessThanOrEqual(instant);
    expect(to).toBeGreaterThan(instant);
    expect(weekOf(from, timeZone)).toBe(week);
    expect(weekOf(to, timeZone)).not.toBe(week);
  });

  test.each(['', '2024', '2024-W00', '2024-W54', 'week'])('“%s” is invalid', (week) => {
    expect(rangeOfWeek(week, 'UTC')).toBeNull();
  });
});

describe('scheduling of summaries', () => {
  test('the first is due at once, later ones six hours after the last', async () => {
    const rig = new SummariesRig();
    await talk(rig, TALK.en);
    const jobs = () => summaryJobs(rig.store, [WEEK, WEEK], { now: rig.now, byModel: false });
    expect(await jobs()).toEqual([
      {
        kind: 'summarize',
        key: 'summarize/weekly/2024-W02',
        conversationId: null,
        input: WEEK,
        runAfter: rig.now,
      },
    ]);
    const madeAt = rig.now;
    await rig.sumUp();
    rig.now += HOUR;
    expect((await jobs())[0]!.runAfter).toBe(madeAt + 6 * HOUR);
    rig.now += 10 * HOUR;
    expect((await jobs())[0]!.runAfter).toBe(rig.now);
  });

  test('those by a model are due at four in the morning of the memory’s time zone', async () => {
    const rig = new SummariesRig('Asia/Tokyo');
    const due = async (now: string) => {
      const [job] = await summaryJobs(rig.store, [WEEK], { now: Date.parse(now), byModel: true });
      return new Date(job!.runAfter ?? 0).toISOString();
    };
    expect(await due('2024-01-10T12:00Z')).toBe('2024-01-10T19:00:00.000Z');
    expect(await due('2024-01-10T19:00Z')).toBe('2024-01-10T19:00:00.000Z');
    expect(await due('2024-01-10T19:01Z')).toBe('2024-01-11T19:00:00.000Z');
  });
});

describe('summaries without a model', () => {
  test.each(['en', 'ja', 'zh'] as const)(
    'quote the most informative turns, with dates, in order of time (%s)',
    async (language) => {
      const rig = new SummariesRig();
      const ids = await talk(rig, TALK[language]);
      await rig.sumUp();
      const [summary, ...others] = await rig.list('summary');
      expect(others).toEqual([]);
      expect(summary).toMatchObject({
        source: 'summarize:rules',
        confidence: 0.5,
        payload: { ...WEEK, evidence: ids },
      });
      const lines = summary!.payload.text.split('\n');
      expect(lines.length).toBeLessThanOrEqual(5);
      expect(lines.length).toBeGreaterThan(2);
      expect(summary!.payload.structured).toMatchObject({
        title: '2024-01-08 – 2024-01-14',
        highlights: lines,
      });
      const places = lines.map((line) =>
        TALK[language].findIndex((said) => line.includes(said.slice(0, 12))),
      );
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(lines.every((line) => line.startsWith('2024-01-10 user: “'))).toBe(true);
      // Neither a question nor an interjection.
      expect(places).not.toContain(3);
      expect(places).not.toContain(5);
    },
  );

  test('are not made from too few turns', async () => {
    const rig = new SummariesRig();
    await talk(rig, TALK.en.slice(0, 2));
    await rig.sumUp();
    expect(await rig.list('summary')).toEqual([]);
  });

  test('are updated in place only after new turns', async () => {
    const rig = new SummariesRig();
    await talk(rig, TALK.en.slice(0, 5));
    await rig.sumUp();
    const [first] = await rig.list('summary');
    await rig.sumUp();
    expect(await rig.list('summary')).toEqual([first]);
    await rig.say('The bank gave my sister Mia the money for the bakery in Lyon.', '2024-01-12T10:00Z');
    await rig.sumUp();
    const [second, ...others] = await rig.list('summary');
    expect(others).toEqual([]);
    expect(second).toMatchObject({ id: first!.id, version: 2 });
    expect(second!.payload.text).toContain('2024-01-12');
    expect(await rig.store.units.versions(first!.id)).toHaveLength(2);
  });

  test('leave out secrets and other weeks', async () => {
    const rig = new SummariesRig();
    await talk(rig, TALK.en.slice(0, 3));
    await rig.say('The bakery safe of my sister Mia in Lyon opens with 1234.', '2024-01-11T10:00Z', 'user', {
      sensitivity: 'secret',
    });
    await rig.say('My sister Mia in Lyon had a birthday.', '2024-01-20T10:00Z');
    await rig.sumUp();
    const [summary] = await rig.list('summary');
    expect(summary!.payload.text).not.toContain('1234');
    expect(summary!.payload.text).not.toContain('birthday');
  });

  test('of a topic and of a person contain the turns about them', async () => {
    const rig = new SummariesRig();
    const ids = await talk(rig, TALK.en);
    for (const unitId of [ids[1]!, ids[2]!, ids[4]!]) {
      await rig.store.units.save([{ type: 'update', unitId, set: { topicTags: ['cake'] }, reason: 'test' }]);
    }
    for (const [i, unitId] of [ids[0]!, ids[1]!, ids[6]!].entries()) {
      const entityId = (await rig.store.entities.list({}, { limit: 1 }))[0]?.id ?? null;
      await rig.store.units.applyDerivation({
        mark: { unitId, kind: 'test', fingerprint: `${i}` },
        changes: [],
        mentions: [{ entityId, type: 'person', name: 'Mia', aliases: [], surface: 'Mia', confidence: 1 }],
      });
    }
    const [mia] = await rig.store.entities.list({}, { limit: 2 });
    await rig.sumUp({ scope: 'topic', scopeKey: 'cake' });
    await rig.sumUp({ scope: 'person', scopeKey: String(mia!.id) });
    await rig.sumUp({ scope: 'person', scopeKey: 'Mia' });
    await rig.sumUp({ scope: 'person', scopeKey: 'Nobody' });
    expect(
      (await rig.list('summary')).map(({ payload }) => [
        payload.scope,
        payload.scopeKey,
        payload.structured?.['title'],
        payload.evidence,
      ]),
    ).toEqual([
      ['topic', 'cake', 'cake', [ids[1], ids[2], ids[4]]],
      ['person', String(mia!.id), 'Mia', [ids[0], ids[1], ids[6]]],
    ]);
  });

  test.each([
    ['Hey, first day using this today lol.', 'I repaired the roof of our greenhouse.'],
    ['そうそう、それもやってみるつもりだよ。', '温室の屋根を修理した。'],
    ['就这么定了，都已经改好了。', '我修好了温室的屋顶。'],
  ])('do not quote sentences that name nothing: %s', async (empty, telling) => {
    const rig = new SummariesRig();
    for (let minute = 10; minute < 20; minute += 1)
      await rig.say(minute % 5 === 0 ? telling : empty, `2024-01-10T10:${minute}Z`);
    await rig.sumUp();
    const [summary] = await rig.list('summary');
    expect(summary!.payload.text).toContain(telling.slice(0, -1));
    expect(summary!.payload.text).not.toContain(empty.slice(0, -1));
  });

  test('of the relationship contain its beginning, and quote turns about both speakers', async () => {
    const rig = new SummariesRig();
    await talk(rig, TALK.en);
    await rig.say('Thank you, you are the friend I trust with everything.', '2024-01-11T10:00Z');
    await rig.say('You can always count on me.', '2024-01-11T10:01Z', 'ai');
    await rig.sumUp({ scope: 'relationship', scopeKey: 'user' });
    const [summary] = await rig.list('summary');
    expect(summary!.payload.text).toContain('Talking since 2024-01-10: 10 turns in 1 conversations.');
    expect(summary!.payload.text).toContain('the friend I trust');
  });
});

/** The model's replies, in order. */
function summaries(...replies: object[]): object {
  return { summaries: replies.map((reply, i) => ({ number: i + 1, ...reply })) };
}

describe('summaries by rules', () => {
  test('of the week and of the relationship differ', async () => {
    const rig = new SummariesRig();
    await talk(rig, TALK.en);
    const more = [
      'You are a good friend to me.',
      'We laughed about the rain in Lyon.',
      'Thank you for the recipe.',
    ];
    for (const [i, text] of more.entries()) await rig.say(text, `2024-01-12T1${i}:00Z`);
    await rig.sumUp();
    await rig.sumUp({ scope: 'relationship', scopeKey: 'user' });
    const [week = [], us = []] = (await rig.list('summary')).map(({ payload }) => payload.text.split('\n'));
    expect(week.length).toBeGreaterThan(1);
    expect(us.length).toBeGreaterThan(1);
    expect(us.filter((line) => week.includes(line))).toEqual([]);
  });
});

describe('summaries by a model', () => {
  test('for several jobs that are due are made by one request', async () => {
    const rig = new SummariesRig();
    await talk(rig, TALK.en.slice(0, 4));
    const us = { scope: 'relationship', scopeKey: 'user' };
    const job = { kind: 'summarize', conversationId: null };
    await rig.store.jobs.enqueue(
      [
        { ...job, key: 'a', input: us },
        { ...job, key: 'b', input: { scope: 'weekly', scopeKey: '2024-W01' }, runAfter: rig.now + HOUR },
      ],
      rig.now,
    );
    const empty = { highlights: [], mood: null };
    rig.reply = () => summaries({ text: 'A week.', ...empty }, { text: 'Good friends.', ...empty });
    await rig.sumUp();
    await rig.sumUp(us);
    expect(rig.asked).toHaveLength(1);
    expect((await rig.list('summary')).map(({ payload }) => [payload.scope, payload.text])).toEqual([
      ['weekly', 'A week.'],
      ['relationship', 'Good friends.'],
    ]);
  });

  test('continue the previous summary with new turns, and are requested once only', async () => {
    const rig = new SummariesRig();
    rig.reply = () =>
      summaries({
        text: 'Mia visited and they baked.',
        highlights: ['They baked a cake.', ' '],
        mood: 'cheerful',
      });
    await talk(rig, TALK.en.slice(0, 4));
    await rig.sumUp();
    await rig.sumUp();
    expect(rig.asked).toHaveLength(1);
    const [first] = await rig.list('summary');
    expect(first).toMatchObject({
      source: 'summarize',
      payload: {
        text: 'Mia visited and they baked.',
        structured: { highlights: ['They baked a cake.'], mood: 'cheerful' },
      },
    });
    await rig.say('Mia wants to open a bakery.', '2024-01-12T10:00Z');
    rig.reply = () => summaries({ text: 'Mia visited; she plans a bakery.', highlights: [], mood: null });
    await rig.sumUp();
    const { content } = rig.asked[1]!.messages[0]!;
    expect(content).toContain('Mia visited and they baked.');
    expect(content).toContain('2024-01-12 (Fri) 10:00 user: Mia wants to open a bakery.');
    expect(content).not.toContain('lemon');
    expect(await rig.list('summary')).toMatchObject([
      { id: first!.id, payload: { text: 'Mia visited; she plans a bakery.' } },
    ]);
  });

  test('an answer without a summary is an error, and is tried again', async () => {
    const rig = new SummariesRig();
    rig.reply = () => summaries({ text: ' ', highlights: [], mood: null });
    await talk(rig, TALK.en.slice(0, 4));
    await expect(rig.sumUp()).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    expect(await rig.list('summary')).toEqual([]);
  });
});
