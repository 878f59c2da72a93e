import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { messagesOf, openRig, PIXEL, systemOf, until, type Rig } from '../../test/companion/rig.ts';
import type { Episode } from '../model/model.ts';

const OCCASIONS = [
  {
    language: 'ja',
    from: 'カレンダー',
    message: '15時から歯医者の予約があります。',
    text: 'カレンダー：15時から歯医者の予約があります。',
    reply: '歯医者さん、15時からだよ。終わったらおいしいものでも食べよう。',
    instruction: '外部からの知らせが届きました',
    fact: '大きな音',
    prompt: '歯医者の予約の前に、ひとこと励ましてあげて。',
  },
  {
    language: 'zh',
    from: '日历',
    message: '下午三点有牙医的预约。',
    text: '日历：下午三点有牙医的预约。',
    reply: '三点要去看牙医哦，看完我们吃点好的。',
    instruction: '刚刚收到一条来自外部的通知',
    fact: '很大的声音',
    prompt: '看牙医之前，鼓励一下对方吧。',
  },
  {
    language: 'en',
    from: 'Calendar',
    message: 'Dentist appointment at 3 pm.',
    text: 'Calendar: Dentist appointment at 3 pm.',
    reply: 'The dentist is at three. Something nice afterwards?',
    instruction: 'A notification has just arrived from outside.',
    fact: 'loud noises',
    prompt: 'Cheer them up before the dentist appointment.',
  },
];

async function remember({ memory }: Rig, object: string): Promise<void> {
  const payload = { subject: 'user', predicate: 'fears', object };
  await memory.remember({ content: { kind: 'fact', payload } });
}

async function messageOf({ memory }: Rig, causeUnitId: number): Promise<Episode | undefined> {
  const [near] = await memory.neighbours([causeUnitId]);
  const [unit] = await memory.getUnits(near?.after ?? []);
  return unit as Episode | undefined;
}

describe.each(OCCASIONS)(
  'a notification in $language',
  ({ from, message, text, fact, reply, instruction }) => {
    test('is kept at once; the companion tells of it, with what it remembers', async () => {
      const rig = await openRig();
      const { memory, companion, model, events } = rig;
      await remember(rig, fact);
      const go = Promise.withResolvers<string>();
      model.answer(() => go.promise);
      const { unitId } = await companion.notify({ from, message });
      expect(await memory.getUnits([unitId])).toMatchObject([
        { source: 'notification', payload: { speaker: 'notification', text } },
      ]);
      await until(() => model.chats.length === 1);
      expect(events).toEqual([]);
      go.resolve(reply);
      const event = await until(() => events[0]);
      expect(await messageOf(rig, unitId)).toMatchObject({
        id: event.id,
        source: 'notification',
        payload: { speaker: 'ai', text: reply },
      });
      expect(event).toMatchObject({
        type: 'notification',
        unitId: event.id,
        data: { message: reply, causeUnitId: unitId, systemText: text },
      });
      expect((await memory.neighbours([event.id]))[0]?.linked).toContainEqual({
        unitId,
        relation: 'response',
      });
      expect(systemOf(model)).toContain(instruction);
      expect(systemOf(model)).toContain(fact);
      expect(messagesOf(model).at(-1)).toEqual({ role: 'user', content: text });
    });
  },
);

describe('a notification', () => {
  const request = { from: 'Calendar', message: 'Dentist at 3 pm.' };
  const jobFor = (unitId: number) => ({
    kind: 'respond',
    key: `respond:${unitId}`,
    conversationId: null,
    input: { unitId, images: [] },
  });
  const noJobs = async ({ memory }: Rig) => {
    await until(async () => (await memory.jobs.list({ kind: 'respond', limit: 9 })).length === 0);
  };

  test('is told of once, though its job runs twice', async () => {
    const rig = await openRig();
    const { memory, companion, model, events } = rig;
    model.answer(() => `Message ${model.chats.length}.`);
    const { unitId } = await companion.notify(request);
    await noJobs(rig);
    await memory.jobs.request(jobFor(unitId));
    await noJobs(rig);
    expect(events).toHaveLength(1);
    expect((await memory.info()).turns).toBe(2);
    expect(model.chats).toHaveLength(1);
  });

  test('is tied to a message that a kill left without its link, and not told of again', async () => {
    const rig = await openRig();
    const { memory, model, events } = rig;
    const place = { conversationId: 'notification-1', source: 'notification' } as const;
    const cause = await memory.ingestTurn({ ...place, turnIndex: 0, speaker: 'notification', text: 'A: b' });
    const kept = await memory.ingestTurn({ ...place, turnIndex: 1, speaker: 'ai', text: 'B it is.' });
    await memory.jobs.request(jobFor(cause.unitId));
    await noJobs(rig);
    const linked = { unitId: cause.unitId, relation: 'response' };
    expect((await memory.neighbours([kept.unitId]))[0]?.linked).toEqual([linked]);
    expect(model.chats).toHaveLength(0);
    expect(events).toEqual([]);
  });

  test('waits with its images for a model that fails, and lets go of them when it is done', async () => {
    const rig = await openRig({ withVision: true });
    const { companion, memory, model, vision, events } = rig;
    vision.answer(() => 'A tooth.');
    model.reply({ status: 500 }, 'The dentist, at three.');
    const { unitId } = await companion.notify({ ...request, images: [PIXEL] });
    const [waiting] = await until(async () => {
      const jobs = await memory.jobs.list({ kind: 'respond', limit: 9 });
      return jobs[0]?.lastError ? jobs : null;
    });
    expect(waiting).toMatchObject({ status: 'queued', input: { unitId, images: [PIXEL] } });
    await memory.jobs.runNow([waiting?.id ?? 0]);
    await until(() => events[0]);
    await noJobs(rig);
    expect(messagesOf(model).at(-1)?.content).toBe('Calendar: Dentist at 3 pm.\n[A tooth.]');
    expect(await memory.getUnits([unitId])).toMatchObject([{ payload: { imageSummary: 'A tooth.' } }]);
    // What was seen once is not looked at again.
    expect(vision.chats).toHaveLength(1);
  });

  test('is kept without a model, and its job says why it waits', async () => {
    const { companion, memory } = await openRig({ withoutModel: true });
    await companion.notify(request);
    const [job] = await until(async () => {
      const jobs = await memory.jobs.list({ kind: 'respond', limit: 9 });
      return jobs[0]?.lastError ? jobs : null;
    });
    expect(job?.lastError).toContain('No language model');
    expect((await memory.info()).turns).toBe(1);
  });

  test.each([
    ['nobody', { from: ' ', message: 'Hello.' }],
    ['an empty message', { from: 'a', message: '' }],
    ['six images', { from: 'a', message: 'b', images: Array.from({ length: 6 }, () => PIXEL) }],
    ['an unknown field', { from: 'a', message: 'b', to: 'c' } as { from: string; message: string }],
  ])('from %s is refused', async (_what, bad) => {
    const { companion, memory } = await openRig();
    await expect(companion.notify(bad)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await memory.info()).turns).toBe(0);
  });
});

/** Everything that lies in a folder, as one text. */
function written(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    .map((bytes) => `${bytes.toString('utf8')}\n${bytes.toString('utf16le')}`)
    .join('\n');
}

describe.each(OCCASIONS)('a meta request in $language', ({ prompt, fact, reply }) => {
  test('is carried out, and no word of it is written', async () => {
    const rig = await openRig({ withVision: true });
    const { memory, companion, model, vision, events, dataDir } = rig;
    await remember(rig, fact);
    vision.answer(() => 'Zahnrad');
    model.answer(() => reply);
    const { unitId } = await companion.metaRequest({ prompt, images: [PIXEL] });
    const event = await until(() => events[0]);
    expect(await memory.getUnits([unitId])).toMatchObject([
      { source: 'meta_request', payload: { text: '[redacted]', imageSummary: null } },
    ]);
    expect(await messageOf(rig, unitId)).toMatchObject({
      id: event.id,
      source: 'meta_request',
      payload: { speaker: 'ai', text: reply },
    });
    expect(event).toMatchObject({ type: 'meta_request', data: { message: reply, causeUnitId: unitId } });
    expect(messagesOf(model).at(-1)).toEqual({ role: 'user', content: `${prompt}\n[Zahnrad]` });
    expect(systemOf(model)).toContain(fact);
    await memory.settle();
    const files = written(dataDir);
    expect(files.includes('[redacted]')).toBe(true);
    const secrets = [prompt, prompt.slice(0, 8), 'Zahnrad', PIXEL.slice(30, 60)];
    expect(secrets.filter((secret) => files.includes(secret))).toEqual([]);
  });
});

test('a meta request that comes to nothing is reported without its words', async () => {
  const { companion, model, problems, memory } = await openRig();
  model.reply({ status: 400, body: { error: { message: 'cannot do: sing' } } });
  const { unitId } = await companion.metaRequest({ prompt: 'sing' });
  await until(() => problems.length > 0);
  expect(problems).toEqual([{ what: 'meta_request', unitId, code: 'MODEL_FAILED' }]);
  expect((await memory.info()).turns).toBe(1);
});

test('stopping waits for a meta request in hand', async () => {
  const { companion, model, events } = await openRig();
  model.reply({ delayMs: 50, text: 'La la.' });
  await companion.metaRequest({ prompt: 'sing' });
  await companion.stop();
  expect(events.map(({ data }) => data.message)).toEqual(['La la.']);
});

test('messages sent are told again, from any of them on', async () => {
  const { companion, model, events, chat } = await openRig();
  model.answer((body) => `About ${(body['messages'] as { content: string }[]).at(-1)?.content}`);
  await companion.notify({ from: 'A', message: 'one' });
  await until(() => events.length === 1);
  await companion.metaRequest({ prompt: 'two' });
  await until(() => events.length === 2);
  await chat('Not a message of its own accord.');
  await companion.notify({ from: 'A', message: 'three' });
  await until(() => events.length === 3);
  expect(await companion.eventsAfter(null, 10)).toEqual(events);
  expect(await companion.eventsAfter(null, 2)).toEqual(events.slice(1));
  expect(await companion.eventsAfter(events[0]?.id ?? 0, 10)).toEqual(events.slice(1));
  expect(await companion.eventsAfter(events[0]?.id ?? 0, 1)).toEqual(events.slice(1, 2));
  expect(await companion.eventsAfter(events[2]?.id ?? 0, 10)).toEqual([]);
});
