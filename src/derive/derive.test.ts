import { describe, expect, onTestFinished, test } from 'vitest';
import { learnt } from '../../test/derive/learnt.ts';
import { DeriveRig } from '../../test/derive/rig.ts';
import { schemaName, startScriptedModel } from '../../test/scriptedModel/scriptedModel.ts';
import { openLanguageModel } from '../llm/llm.ts';
import { KINDS } from '../model/model.ts';
import { createDerivations, createWorker, DERIVATION_KINDS, EPISODE_DERIVATIONS } from './derive.ts';

const TALK = [
  ['user', 'My name is Ken and I live in Leeds.'],
  ['ai', 'Nice to meet you, Ken! I will remind you of your exam tomorrow.'],
  ['user', 'I have to submit the report by Friday.'],
  ['user', '妹は大阪に住んでいます。私は猫を飼っています。'],
  ['user', '明日、歯医者に行かなきゃ。'],
  ['user', '我很喜欢爬山，我妹妹住在成都。'],
  ['user', '记得提醒我周五交报告。'],
  ['user', 'I moved to York. I submitted the report!'],
] as const;

class WholeRig extends DeriveRig {
  readonly ids: number[] = [];

  async talk(): Promise<void> {
    for (const [i, [speaker, text]] of TALK.entries())
      this.ids.push(await this.say(text, `2024-01-10T1${i}:00Z`, speaker));
  }

  /** Runs all jobs of the episodes, and the jobs that these request. */
  async learn(): Promise<void> {
    const jobs = EPISODE_DERIVATIONS.flatMap((kind) =>
      this.ids.map((unitId) => ({ kind, key: `${kind}/${unitId}`, conversationId: 'c', input: { unitId } })),
    );
    await this.store.jobs.enqueue(jobs, this.now);
    // Summaries and the capsule are delayed to wait for more turns.
    for (let round = 0; round < 2; round += 1) {
      const worker = createWorker({
        store: this.store,
        derivations: createDerivations(this.parts),
        now: () => this.now,
      });
      await worker.drain();
      this.now += 60_000;
    }
  }

  async everything(): Promise<unknown[]> {
    const units = await this.store.units.list(
      { kinds: KINDS, maxSensitivity: 'secret', withArchived: true },
      { limit: 1_000 },
    );
    const entities = await this.store.entities.list({}, { limit: 100 });
    return [...units, ...entities];
  }
}

test('every kind of job has a derivation, each of its own kind', () => {
  const derivations = createDerivations(new DeriveRig().parts);
  expect(derivations.map(({ kind }) => kind)).toEqual([...DERIVATION_KINDS]);
  expect(derivations.every(({ asksModel, batchSize }) => !asksModel && batchSize >= 1)).toBe(true);
});

describe('deriving a whole conversation', () => {
  test('works by rules in three languages, and a second run changes nothing', async () => {
    const rig = new WholeRig();
    await rig.talk();
    await rig.learn();
    const facts = (await rig.list('fact')).map(
      ({ payload }) => `${payload.subject} ${payload.predicate} ${payload.object}`,
    );
    expect(facts).toEqual(
      expect.arrayContaining([
        'Kenの妹 住まい 大阪',
        'Ken ペット 猫',
        'Ken 喜欢 爬山',
        'Ken的妹妹 住在 成都',
        'Ken lives in York',
      ]),
    );
    expect((await rig.list('loop')).map(({ payload }) => payload.status)).toContain('done');
    expect((await rig.list('summary')).map(({ payload }) => payload.scope).sort()).toEqual(
      expect.arrayContaining(['relationship', 'weekly']),
    );
    expect(await rig.list('capsule')).toHaveLength(1);
    expect((await rig.list('episode')).every((episode) => episode.state === 'validated')).toBe(true);
    const before = await rig.everything();
    await rig.learn();
    expect(await rig.everything()).toEqual(before);
  });

  test('works with a model over HTTP, and jobs of a failing model are tried again', async () => {
    const scripted = await startScriptedModel();
    onTestFinished(() => scripted.close());
    const rig = new DeriveRig();
    const model = openLanguageModel({ provider: 'endpoint', url: scripted.url, model: 'm', retries: 0 });
    const parts = { ...rig.parts, model: () => model };
    const derivations = createDerivations(parts).filter(({ kind }) => kind === 'learn');
    const worker = createWorker({ store: rig.store, derivations, now: () => rig.now, random: () => 0 });
    const unitId = await rig.say('I moved to Osaka.', '2024-01-10T12:00Z');
    await rig.store.jobs.enqueue(
      [{ kind: 'learn', key: 'l', conversationId: 'c', input: { unitId } }],
      rig.now,
    );

    scripted.reply({ status: 429, headers: { 'retry-after': '120' } });
    await worker.drain();
    expect(await rig.store.jobs.list({ kind: 'learn', limit: 1 })).toMatchObject([
      { status: 'queued', attempts: 1, runAfter: rig.now + 120_000 },
    ]);

    rig.now += 120_000;
    const fact = {
      subject: 'user',
      predicate: 'lives in',
      object: 'Osaka',
      validFrom: null,
      validTo: null,
      confidence: 0.9,
      quote: 'moved to Osaka',
      contradicts: null,
    };
    // An invalid answer is sent back once.
    scripted.reply('Sure, here are the facts!', { json: learnt({ facts: [fact] }) });
    await worker.drain();
    expect(await rig.list('fact')).toMatchObject([{ payload: { object: 'Osaka', evidence: [unitId] } }]);
    expect(scripted.chats.map(schemaName)).toEqual(['learnt', 'learnt', 'learnt']);
    expect(await rig.store.jobs.list({ kind: 'learn', limit: 1 })).toEqual([]);
  });
});
