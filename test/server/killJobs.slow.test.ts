import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EMOTION_KEYS, openMemory, type NewTurn, type Unit } from '../../src/engine/engine.ts';
import { promptText, schemaName, startScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { seededRandom } from '../seededRandom.ts';
import { temporaryFolder } from '../temporary.ts';
import { startKillable, type Killable } from './killable.ts';
import { learnt } from '../derive/learnt.ts';

const KILLS = Number(process.env['OMOIDE_KILLS'] ?? 3);
/** Servers start many times, and some jobs wait for further turns. */
const LIMIT_MS = 180_000;
const MEMORY = '/api/memories/default';

/** Three users, each with people, plans and preferences to learn. */
const SCRIPTS: Record<string, readonly (readonly [speaker: string, text: string])[]> = {
  ja: [
    ['ゆい', '田中さんと来週の金曜日に那須へ行く約束をしたんだ。'],
    ['ai', 'いいね、吊り橋が楽しみだね。'],
    ['ゆい', '私の誕生日は5月3日で、好きな食べ物はカレーだよ。'],
    ['ゆい', '姉の花子が京都に引っ越した。'],
    ['ゆい', '明日までにレポートを出さないといけない。'],
  ],
  zh: [
    ['李明', '我叫李明，住在上海，最喜欢吃火锅。'],
    ['ai', '记住了！'],
    ['李明', '下周三要和王芳去颐和园划船。'],
    ['李明', '我必须在星期五之前交报告。'],
    ['李明', '我妈妈是医生，她在北京工作。'],
  ],
  en: [
    ['Caroline', 'My name is Caroline and I live in Boston.'],
    ['ai', 'Nice to meet you, Caroline.'],
    ['Caroline', 'I have to send the report to Melanie by Friday.'],
    ['Caroline', 'My favourite food is ramen, and I adopted a cat called Miso.'],
    ['Caroline', 'My sister Hana moved to Kyoto last month.'],
  ],
};

const START = Date.UTC(2026, 2, 2);

/** @param rounds the number of repetitions, each with small changes */
function turns(rounds: number): NewTurn[] {
  return Object.entries(SCRIPTS).flatMap(([conversationId, script]) =>
    Array.from({ length: rounds * script.length }, (_, turnIndex) => {
      const [speaker = '', text = ''] = script[turnIndex % script.length] ?? [];
      const round = Math.floor(turnIndex / script.length);
      const said = round === 0 ? text : `${text} (${round + 1})`;
      return { conversationId, turnIndex, speaker, text: said, occurredAt: START + turnIndex * 3_600_000 };
    }),
  );
}

interface JobsAnswer {
  readonly items: readonly { readonly status: string; readonly runAfter: number }[];
  readonly counts: Readonly<Record<'queued' | 'running' | 'failed', number>>;
}

/** Longer than a job waits for further turns, and shorter than it waits for another day. */
const SOON_MS = 60_000;

/** Jobs that run or are due soon. */
async function countDue(server: Killable): Promise<number> {
  const { items, counts } = await server.ask<JobsAnswer>('GET', `${MEMORY}/jobs?limit=200`);
  expect(counts.failed).toBe(0);
  const isSoon = ({ runAfter }: JobsAnswer['items'][number]) => runAfter <= Date.now() + SOON_MS;
  return items.filter((job) => job.status === 'running' || isSoon(job)).length;
}

async function allDone(server: Killable): Promise<void> {
  while ((await countDue(server)) > 0) await pause(50);
}

/**
 * Simulates that minutes have passed: leases of dead processes expire. Attempts are reset, because so many kills would
 * use them up when each process only begins a job; retries are not tested here.
 */
function expireLeases(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'memory_default.db'));
  db.exec('UPDATE job SET lease_until = 0, attempts = 0 WHERE lease_until IS NOT NULL');
  db.close();
}

/** Adds the turns, then kills the server repeatedly during the jobs. */
async function runWithKills(
  dataDir: string,
  said: readonly NewTurn[],
  { args, delayMs }: { args: readonly string[]; delayMs: () => number },
) {
  const first = await startKillable(dataDir, ['--no-worker', ...args]);
  await first.ask('POST', `${MEMORY}/turns`, { turns: said });
  expect(await countDue(first)).toBeGreaterThan(0);
  await first.kill();
  for (let i = 0; i < KILLS; i += 1) {
    const server = await startKillable(dataDir, args);
    await pause(delayMs());
    await server.kill();
    expireLeases(dataDir);
  }
}

interface Learnt {
  /** What is learnt from single turns, without ids and times. */
  readonly what: readonly string[];
  readonly units: readonly Unit[];
  readonly names: readonly string[];
  /** The number of versions of each unit. */
  readonly versions: Readonly<Record<number, number>>;
}

async function learntIn(dataDir: string): Promise<Learnt> {
  const memory = await openMemory({ dataDir, embedder: null, learn: false, worker: false });
  onTestFinished(() => memory.close());
  expect((await memory.admin.verify()).problems).toEqual([]);
  const units = await memory.units.list({ withArchived: true, maxSensitivity: 'secret' }, { limit: 10_000 });
  const entities = await memory.entities.list({}, { limit: 10_000 });
  const vectors = (await memory.admin.info()).vectorModel?.count;
  const versions: Record<number, number> = {};
  for (const { id } of units) versions[id] = (await memory.units.versions(id)).length;
  const what = [
    // Which summaries exist depends on who had been mentioned at the time of the check.
    ...units
      .filter(({ kind }) => kind !== 'summary' && kind !== 'capsule')
      .map((unit) => JSON.stringify(shownOf(unit))),
    ...entities.map(({ name, type, aliases }) => JSON.stringify({ name, type, aliases: aliases.toSorted() })),
  ];
  expect(vectors).toBe(units.length);
  return { what: what.sort(), units, names: entities.map(({ name }) => name), versions };
}

function shownOf({
  kind,
  state,
  source,
  confidence,
  topicTags,
  emotion,
  reinforcement,
  payload,
}: Unit): object {
  // The entity of a fact's object is known only if the entity was found before the fact.
  const words = { ...payload, objectEntityId: null };
  return { kind, state, source, confidence, topicTags, emotion, reinforcement, words };
}

/** Runs every job of every turn again. */
async function runAllAgain(server: Killable): Promise<void> {
  const answer = await server.ask<{ jobsEnqueued: number }>('POST', `${MEMORY}/rebuild`, { what: 'units' });
  expect(answer.jobsEnqueued).toBeGreaterThan(0);
  await allDone(server);
}

describe('killed in the middle of jobs', () => {
  test(
    'by rules: learns the same as without kills, and a repeated job changes nothing',
    async () => {
      const random = seededRandom();
      const [calm, disturbed] = [temporaryFolder(), temporaryFolder()];
      const said = turns(4);
      const undisturbed = await startKillable(calm);
      await undisturbed.ask('POST', `${MEMORY}/turns`, { turns: said });
      await runWithKills(disturbed, said, { args: [], delayMs: () => random() * 200 });
      const last = await startKillable(disturbed);
      await Promise.all([allDone(undisturbed), allDone(last)]);

      const taught = await learntIn(disturbed);
      expect(taught.what).toEqual((await learntIn(calm)).what);
      expect(taught.names).toEqual(expect.arrayContaining(['田中', '王芳', 'Miso']));
      expect(taught.units.filter(({ kind }) => kind === 'loop').length).toBeGreaterThanOrEqual(3);
      for (const word of ['5月3日', '医生', 'ramen']) {
        expect(
          taught.what.filter((each) => each.includes('"kind":"fact"') && each.includes(word)),
        ).toHaveLength(1);
      }

      await runAllAgain(last);
      expect(await learntIn(disturbed)).toEqual(taught);
      expect(await last.stop()).toBe(0);
    },
    LIMIT_MS,
  );

  test(
    'with a model: each fact is learnt once, and the model is not asked again for it',
    async () => {
      const random = seededRandom();
      const model = await startScriptedModel();
      onTestFinished(() => model.close());
      model.answer((body) => ({ json: answerTo(body), delayMs: random() * 60 }));
      const chat = { provider: 'endpoint', url: model.url, model: 'scripted', retries: 0 };
      const args = ['--light-model', JSON.stringify(chat)];
      const dataDir = temporaryFolder();
      await runWithKills(dataDir, turns(1), { args, delayMs: () => random() * 700 });
      const last = await startKillable(dataDir, args);
      await allDone(last);

      const taught = await learntIn(dataDir);
      const objects = taught.units.flatMap((unit) => (unit.kind === 'fact' ? [unit.payload.object] : []));
      expect(objects.sort()).toEqual(FACTS.map(({ object }) => object).sort());
      const loops = taught.units.flatMap((unit) => (unit.kind === 'loop' ? [unit.payload.text] : []));
      expect(loops.map((text) => text.replace(/^\S+: /, '')).sort()).toEqual([...LOOPS].sort());
      for (const name of NAMES) expect(taught.names.filter((each) => each === name)).toEqual([name]);

      const asked = countByTurn(model.chats);
      await runAllAgain(last);
      expect(await learntIn(dataDir)).toEqual(taught);
      expect(countByTurn(model.chats)).toBe(asked);
      expect(await last.stop()).toBe(0);
    },
    LIMIT_MS,
  );
});

const FACTS = [
  { quote: '好きな食べ物はカレー', subject: 'ゆい', predicate: '好きな食べ物', object: 'カレー' },
  { quote: '我妈妈是医生', subject: '李明的妈妈', predicate: '职业', object: '医生' },
  { quote: 'I live in Boston', subject: 'Caroline', predicate: 'lives in', object: 'Boston' },
];
const LOOPS = [
  '明日までにレポートを出さないといけない',
  '我必须在星期五之前交报告',
  'I have to send the report to Melanie by Friday',
];
const NAMES = ['田中', '王芳', 'Melanie'];

/** The replies of a model about these users. */
function answerTo(body: Record<string, unknown>): unknown {
  const prompt = promptText(body);
  switch (schemaName(body)) {
    case 'learnt':
      return learntFrom(prompt);
    case 'summaries': {
      const subject = { text: 'ゆいは田中さんと那須へ行く。', highlights: [], mood: null };
      return { summaries: Array.from({ length: 20 }, (_, i) => ({ number: i + 1, ...subject })) };
    }
    default:
      throw new Error(`Nothing is known of ${schemaName(body)}.`);
  }
}

/** The turns in question are the last part of the prompt, numbered. */
function learntFrom(prompt: string): unknown {
  const turns = prompt.slice(prompt.lastIndexOf('\n#1 '));
  const numbers = [...turns.matchAll(/^#(\d+) /gm)].map(([, number]) => Number(number));
  const emotion = Object.fromEntries(EMOTION_KEYS.map((key) => [key, key === 'joy' ? 0.5 : 0]));
  const felt = {
    emotion,
    emotionConfidence: 0.8,
    topics: [],
    salience: 0.5,
    confidence: 0.8,
    reflection: '',
  };
  const dates = { validFrom: null, validTo: null };
  return learnt({
    reflections: numbers.map((turn) => ({ turn, ...felt })),
    entities: NAMES.filter((name) => turns.includes(name)).map((name) => {
      return { known: null, name, type: 'person', aliases: [], surface: name, confidence: 0.9 };
    }),
    facts: FACTS.filter(({ quote }) => turns.includes(quote)).map((fact) => {
      return { ...fact, ...dates, confidence: 0.9, contradicts: null };
    }),
    loops: LOOPS.filter((text) => turns.includes(text)).map((text) => {
      return { text, due: null, confidence: 0.9, quote: text };
    }),
    topic: { decision: 'NEW', topicId: null, title: '那須への約束', summary: '' },
    moment: '旅行の準備をしている。',
  });
}

/** The requests that ask about turns. */
function countByTurn(bodies: readonly Record<string, unknown>[]): number {
  return bodies.filter((body) => schemaName(body) === 'learnt').length;
}
