/** Facts that change over a year: the current value, earlier values, and the history. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { factHistory, type FactPeriod } from '../../src/derive/derive.ts';
import { internals, memoryPath, openMemory, type Memory } from '../../src/engine/engine.ts';
import { DAY_MS, type Instant } from '../../src/model/model.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { temporaryFolder } from '../temporary.ts';

const at = (day: string) => Date.parse(`${day}T12:00:00Z`);

/** Days on which the user mentions their home. */
const DAYS = ['2025-01-10', '2025-04-20', '2025-08-05', '2025-12-15'].map(at);
/** Times between these days, and after them. */
const BETWEEN = ['2025-03-01', '2025-06-01', '2025-10-01', '2026-01-15'].map(at);

interface Year {
  readonly language: string;
  readonly question: string;
  readonly said: readonly string[];
  readonly places: readonly string[];
}

const YEARS: readonly Year[] = [
  {
    language: 'Japanese',
    question: '私の住まいはどこ？',
    said: [
      '大阪に住んでるんだ。',
      '転勤で名古屋に引っ越したよ。',
      '実はまた引っ越して、今は札幌に住んでいます。',
      '昨日、福岡に引っ越してきた！',
    ],
    places: ['大阪', '名古屋', '札幌', '福岡'],
  },
  {
    language: 'Chinese',
    question: '我住在哪里？',
    said: ['我住在北京。', '我搬到上海了。', '因为工作，我上周搬到了成都。', '昨天我又搬去了杭州。'],
    places: ['北京', '上海', '成都', '杭州'],
  },
  {
    language: 'English',
    question: 'Where is my home, where do I live in?',
    said: [
      'I live in Leeds.',
      'I moved to Bristol for a new job.',
      'Last week we moved from Bristol to Cardiff.',
      'I just moved to Glasgow!',
    ],
    places: ['Leeds', 'Bristol', 'Cardiff', 'Glasgow'],
  },
];

class Rig {
  readonly dataDir = temporaryFolder();
  now: Instant = 0;
  memory!: Memory;

  static async open(): Promise<Rig> {
    const rig = new Rig();
    rig.memory = await openMemory({
      dataDir: rig.dataDir,
      timeZone: 'UTC',
      embedder: { provider: 'hashed' },
      worker: false,
      now: () => rig.now,
    });
    onTestFinished(() => rig.memory.close());
    return rig;
  }

  /** Adds a turn and learns from it; `heardAt` is the time of learning. */
  async tell(text: string, occurredAt: Instant, heardAt = occurredAt): Promise<void> {
    this.now = heardAt;
    await this.memory.add({ conversationId: 'c', speaker: 'user', text, occurredAt });
    await internals(this.memory).settle();
  }

  async recalled(question: string, asOf?: Instant): Promise<string[]> {
    const options = { kinds: ['fact' as const], ...(asOf !== undefined && { asOf }) };
    const { hits } = await this.memory.recall(question, options);
    return hits.map((hit) => hit.text.split(' ').at(-1) ?? '');
  }

  /** The lines of the pack's facts. */
  async packed(question: string, asOf?: Instant): Promise<string[]> {
    const { text } = await this.memory.pack(question, asOf === undefined ? {} : { asOf });
    const facts = text.split('[STABLE_FACTS]')[1]?.split('\n\n')[0] ?? '';
    return facts
      .split('\n')
      .flatMap((line) => (line.startsWith('- ') ? (line.split(/[ ｜]/).at(-1) ?? '') : []));
  }

  async history(): Promise<FactPeriod[]> {
    const [unit] = await this.memory.units.list({ kinds: ['fact'] }, { limit: 1 });
    const store = openSqliteStore(memoryPath(this.dataDir, 'default'), {
      memoryId: 'default',
      timeZone: 'UTC',
      now: () => this.now,
    });
    try {
      return await factHistory(store, unit!.id);
    } finally {
      await store.close();
    }
  }
}

describe.each(YEARS)('three moves in a year, in $language', ({ question, said, places }) => {
  const live = async () => {
    const rig = await Rig.open();
    for (const [i, text] of said.entries()) await rig.tell(text, DAYS[i]!);
    rig.now = BETWEEN[3]!;
    return rig;
  };
  const brought = async () => {
    const rig = await Rig.open();
    for (const [i, text] of said.entries()) await rig.tell(text, DAYS[i]!, BETWEEN[3]! + 30 * DAY_MS);
    return rig;
  };

  test.each([
    ['added as it was said', live],
    ['imported a year later', brought],
  ])('%s, are recalled and packed as of now and as of earlier times', async (_how, open) => {
    const rig = await open();
    expect(await rig.recalled(question)).toEqual([places[3]]);
    expect(await rig.packed(question)).toEqual([places[3]]);
    for (const [i, then] of BETWEEN.entries()) {
      expect(await rig.recalled(question, then)).toEqual([places[i]]);
      expect(await rig.packed(question, then)).toEqual([places[i]]);
    }
    expect(await rig.recalled(question, DAYS[0]! - 1)).toEqual([]);
    expect(await rig.packed(question, DAYS[0]! - 1)).toEqual([]);
  });

  test('have a history without gaps, each with the turns that state it', async () => {
    const history = await (await live()).history();
    expect(history.map((period) => period.object)).toEqual(places);
    expect(history.map((period) => period.validTo)).toEqual([
      ...history.slice(1).map((period) => period.validFrom),
      null,
    ]);
    expect(history.map((period) => period.toldAt)).toEqual(DAYS);
    expect(history.map((period) => period.evidence.map(({ text }) => text))).toEqual(
      // Its own turn, and the turn that ended it.
      said.map((text, i) => [text, ...said.slice(i + 1, i + 2)]),
    );
    expect(history.every((period) => period.state !== 'archived')).toBe(true);
  });
});

test('a move that was mentioned months later counts from the date it happened', async () => {
  const rig = await Rig.open();
  await rig.tell('I live in Leeds.', at('2025-01-10'));
  await rig.tell('I moved to Bristol in April.', at('2025-08-05'));
  rig.now = at('2026-01-01');
  expect(await rig.recalled('Where do I live in?', at('2025-06-01'))).toEqual(['Leeds']);
  expect(await rig.packed('Where do I live in?', at('2025-06-01'))).toEqual(['Leeds']);
  const [leeds, bristol] = await rig.history();
  expect(leeds!.validTo).toBe(Date.parse('2025-04-01T00:00Z'));
  expect(bristol!.validFrom).toBe(leeds!.validTo);
});

test.each([
  ['引っ越し予定先', '福岡', '福岡市に引っ越しました。'],
  ['打算搬去', '杭州', '我搬到杭州了。'],
  ['plans to move to', 'Berlin', 'I moved to Berlin.'],
])('a plan that was noted ends when it is carried out: %s %s', async (predicate, object, done) => {
  const rig = await Rig.open();
  rig.now = DAYS[0]!;
  await rig.memory.units.add({
    content: { kind: 'fact', payload: { subject: 'user', predicate, object } },
    occurredAt: DAYS[0]!,
  });
  await internals(rig.memory).settle();
  expect(await rig.packed(object)).toHaveLength(1);
  await rig.tell(done, DAYS[1]!);
  rig.now = BETWEEN[1]!;
  const predicates = async (asOf?: Instant) => {
    const { text } = await rig.memory.pack(done, asOf === undefined ? {} : { asOf });
    return text.match(/予定先|打算搬去|plans to move/g) ?? [];
  };
  expect(await predicates(BETWEEN[0])).toHaveLength(1);
  expect(await predicates()).toEqual([]);
});

test('as of an earlier time, a reworded fact has its earlier wording', async () => {
  const rig = await Rig.open();
  await rig.tell('大阪に住んでるんだ。', DAYS[0]!);
  const [fact] = await rig.memory.units.list({ kinds: ['fact'] }, { limit: 1 });
  if (fact?.kind !== 'fact') throw new Error('Nothing was learnt.');
  rig.now = DAYS[1]!;
  await rig.memory.units.update({
    unitId: fact.id,
    set: { content: { kind: 'fact', payload: { ...fact.payload, object: '大阪市北区' } } },
    reason: 'more exactly',
  });
  rig.now = BETWEEN[1]!;
  expect(await rig.packed('住まいはどこ？', BETWEEN[0])).toEqual(['大阪']);
  expect(await rig.recalled('住まいはどこ？', BETWEEN[0])).toEqual(['大阪']);
  expect(await rig.packed('住まいはどこ？')).toEqual(['大阪市北区']);
  expect(await rig.recalled('住まいはどこ？')).toEqual(['大阪市北区']);
});

test('rejects the history of an unknown unit, of a unit that is not a fact, and of a secret fact', async () => {
  const rig = await Rig.open();
  await rig.tell('I live in Leeds.', DAYS[0]!);
  const store = openSqliteStore(memoryPath(rig.dataDir, 'default'), {
    memoryId: 'default',
    timeZone: 'UTC',
    now: () => rig.now,
  });
  onTestFinished(() => store.close());
  const [fact] = await store.units.list({ kinds: ['fact'] }, { limit: 1 });
  const [episode] = await store.units.list({ kinds: ['episode'] }, { limit: 1 });
  await expect(factHistory(store, 9_999)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(factHistory(store, episode!.id)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await store.units.save([
    { type: 'update', unitId: fact!.id, set: { sensitivity: 'secret' }, reason: 'hush' },
  ]);
  await expect(factHistory(store, fact!.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await factHistory(store, fact!.id, { maxSensitivity: 'secret' })).toHaveLength(1);
});
