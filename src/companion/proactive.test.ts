import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { messagesOf, openRig, PIXEL, systemOf, until, type Rig } from '../../test/companion/rig.ts';
import { internals } from '../engine/engine.ts';
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
  await memory.units.add({ content: { kind: 'fact', payload } });
}

async function messageOf({ memory }: Rig, causeUnitId: number): Promise<Episode | undefined> {
  const [near] = await memory.units.neighbours([causeUnitId]);
  const [unit] = await memory.units.get(near?.after ?? []);
  return unit as Episode | undefined;
}

describe.each(OCCASIONS)(
  'a notification in $language',
  ({ from, message, text, fact, reply, instruction }) => {
    test('is stored at once; the companion’s message about it uses what is remembered', async () => {
      const rig = await openRig();
      const { memory, companion, model, events } = rig;
      await remember(rig, fact);
      const go = Promise.withResolvers<string>();
      model.answer(() => go.promise);
      const { unitId } = await companion.notify({ from, message });
      expect(await memory.units.get([unitId])).toMatchObject([
        { source: 'notification', payload: { speaker: 'notification', text } },
      ]);
      await until(() => model.chats.length === 1);
      expect(events).toMatchObject([
        { id: unitId, type: 'notification', data: { message: null, causeUnitId: unitId, systemText: text } },
      ]);
      go.resolve(reply);
      const event = await until(() => events[1]);
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
      expect((await memory.units.neighbours([event.unitId]))[0]?.linked).toContainEqual({
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

  test('gets one message, although its job runs twice', async () => {
    const rig = await openRig();
    const { memory, companion, model, events } = rig;
    model.answer(() => `Message ${model.chats.length}.`);
    const { unitId } = await companion.notify(request);
    await noJobs(rig);
    await memory.jobs.request(jobFor(unitId));
    await noJobs(rig);
    expect(events.map(({ data }) => data.message)).toEqual([null, 'Message 1.']);
    expect((await memory.admin.info()).turns).toBe(2);
    expect(model.chats).toHaveLength(1);
  });

  test('is linked to its message when a killed process left no link, and gets no second one', async () => {
    const rig = await openRig();
    const { memory, model, events } = rig;
    const place = { conversationId: 'notification-1', source: 'notification' } as const;
    const cause = await memory.add({ ...place, turnIndex: 0, speaker: 'notification', text: 'A: b' });
    const kept = await memory.add({ ...place, turnIndex: 1, speaker: 'ai', text: 'B it is.' });
    await memory.jobs.request(jobFor(cause.unitId));
    await noJobs(rig);
    const linked = { unitId: cause.unitId, relation: 'response' };
    expect((await memory.units.neighbours([kept.unitId]))[0]?.linked).toEqual([linked]);
    expect(model.chats).toHaveLength(0);
    expect(events).toEqual([]);
  });

  test('keeps its images while the model fails, and deletes them when it is done', async () => {
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
    await until(() => events[1]);
    await noJobs(rig);
    expect(messagesOf(model).at(-1)?.content).toBe('Calendar: Dentist at 3 pm.\n[A tooth.]');
    expect(await memory.units.get([unitId])).toMatchObject([{ payload: { imageSummary: 'A tooth.' } }]);
    // Images that were described are not described again.
    expect(vision.chats).toHaveLength(1);
  });

  test('is stored without a model, and its job gives the reason for waiting', async () => {
    const { companion, memory } = await openRig({ withoutModel: true });
    await companion.notify(request);
    const [job] = await until(async () => {
      const jobs = await memory.jobs.list({ kind: 'respond', limit: 9 });
      return jobs[0]?.lastError ? jobs : null;
    });
    expect(job?.lastError).toContain('No language model');
    expect((await memory.admin.info()).turns).toBe(1);
  });

  test.each([
    ['nobody', { from: ' ', message: 'Hello.' }],
    ['an empty message', { from: 'a', message: '' }],
    ['six images', { from: 'a', message: 'b', images: Array.from({ length: 6 }, () => PIXEL) }],
    ['an unknown field', { from: 'a', message: 'b', to: 'c' } as { from: string; message: string }],
  ])('with %s is rejected', async (_what, bad) => {
    const { companion, memory } = await openRig();
    await expect(companion.notify(bad)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await memory.admin.info()).turns).toBe(0);
  });
});

/** The content of all files of a folder, as one text. */
function written(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    .map((bytes) => `${bytes.toString('utf8')}\n${bytes.toString('utf16le')}`)
    .join('\n');
}

describe.each(OCCASIONS)('a meta request in $language', ({ prompt, fact, reply }) => {
  test('is carried out, and its text is not written to disk', async () => {
    const rig = await openRig({ withVision: true });
    const { memory, companion, model, vision, events, dataDir } = rig;
    await remember(rig, fact);
    vision.answer(() => 'Zahnrad');
    model.answer(() => reply);
    const { unitId } = await companion.metaRequest({ prompt, images: [PIXEL] });
    const event = await until(() => events[0]);
    expect(await memory.units.get([unitId])).toMatchObject([
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
    await internals(memory).settle();
    const files = written(dataDir);
    const secrets = [prompt, prompt.slice(0, 8), 'Zahnrad', PIXEL.slice(30, 60)];
    expect(secrets.filter((secret) => files.includes(secret))).toEqual([]);
  });
});

test('a failed meta request is reported without its text', async () => {
  const { companion, model, problems, events, memory } = await openRig();
  model.reply({ status: 400, body: { error: { message: 'cannot do: sing' } } });
  const { unitId } = await companion.metaRequest({ prompt: 'sing' });
  await until(() => problems.length > 0);
  expect(problems).toEqual([{ what: 'meta_request', unitId, code: 'MODEL_FAILED' }]);
  expect(events).toMatchObject([
    {
      id: null,
      type: 'meta_request',
      data: { message: null, causeUnitId: unitId, error: { code: 'MODEL_FAILED' } },
    },
  ]);
  expect((await memory.admin.info()).turns).toBe(1);
});

test('stop() waits for a running meta request', async () => {
  const { companion, model, events } = await openRig();
  model.reply({ delayMs: 50, text: 'La la.' });
  await companion.metaRequest({ prompt: 'sing' });
  await companion.stop();
  expect(events.map(({ data }) => data.message)).toEqual(['La la.']);
});

test('notifications and messages can be listed again from any event on', async () => {
  const { companion, model, events, chat } = await openRig();
  model.answer((body) => `About ${(body['messages'] as { content: string }[]).at(-1)?.content}`);
  await companion.notify({ from: 'A', message: 'one' });
  await until(() => events.length === 2);
  await companion.metaRequest({ prompt: 'two' });
  await until(() => events.length === 3);
  await chat('Not a proactive message.');
  await companion.notify({ from: 'A', message: 'three' });
  await until(() => events.length === 5);
  expect(await companion.eventsAfter(null, 10)).toEqual(events);
  expect(await companion.eventsAfter(null, 2)).toEqual(events.slice(3));
  expect(await companion.eventsAfter(events[1]?.id ?? 0, 10)).toEqual(events.slice(2));
  expect(await companion.eventsAfter(events[1]?.id ?? 0, 1)).toEqual(events.slice(2, 3));
});

describe('the timeline', () => {
  const HOUR_MS = 3_600_000;
  const spoken = (messages: readonly { role: string; content: unknown }[]) =>
    messages.map(({ content }) => String(content)).join('\n');

  test.each(OCCASIONS)(
    'in $language: the next chat contains a notification and the message about it',
    async (occasion) => {
      const { companion, model, events, chat } = await openRig();
      model.reply(occasion.reply, 'Yes.');
      await chat({ text: 'Hello.' }).catch(() => {});
      await companion.notify({ from: occasion.from, message: occasion.message });
      await until(() => events.length === 2);
      await chat(occasion.language === 'ja' ? 'それ、何時からだっけ？' : 'When was that again?');
      const asked = spoken(messagesOf(model));
      expect(asked).toContain(occasion.message);
      expect(asked.indexOf(occasion.message)).toBeGreaterThan(asked.indexOf('Hello.'));
    },
  );

  test('the next chat contains the reply to a meta request, but not the request', async () => {
    const { companion, model, events, chat } = await openRig();
    model.reply('How about a walk at five?', 'At five.');
    await companion.metaRequest({ prompt: 'Suggest something healthy.' });
    await until(() => events.length === 1);
    await chat('When did you say?');
    expect(spoken(messagesOf(model))).toContain('How about a walk at five?');
    expect(spoken(messagesOf(model))).not.toMatch(/healthy|redacted/u);
  });

  test('a notification for one conversation does not appear in others', async () => {
    const { companion, model, events, chat } = await openRig();
    model.answer(() => 'Right.');
    await companion.notify({ from: 'A', message: 'the oven is hot', conversationId: 'kitchen' });
    await until(() => events.length === 2);
    await chat({ text: 'Hello.', conversationId: 'garden' });
    expect(spoken(messagesOf(model))).not.toContain('oven');
    await chat({ text: 'Hello.', conversationId: 'kitchen' });
    expect(spoken(messagesOf(model))).toContain('oven');
  });

  test('a chat without a conversation id continues the last conversation until it was silent for hours', async () => {
    let now = Date.parse('2026-03-29T09:00:00+09:00');
    const { chat } = await openRig({ now: () => now });
    const talk = async (text: string) => {
      const { end } = await chat(text);
      return end?.type === 'done' || end?.type === 'error' ? end.data.conversationId : null;
    };
    const first = await talk('Good morning.');
    now += 5 * HOUR_MS;
    expect(await talk('Still there?')).toBe(first);
    now += 7 * HOUR_MS;
    const next = await talk('Good evening.');
    expect(next).not.toBe(first);
    const both = await Promise.all([talk('One.'), talk('Two.')]);
    expect(both).toEqual([next, next]);
  });

  test('chats that start at the same time start one conversation', async () => {
    const { chat } = await openRig();
    const ends = (await Promise.all([chat('One.'), chat('Two.')])).map(({ end }) => end);
    const ids = ends.map((end) => end?.type === 'done' && end.data.conversationId);
    expect(ids[0]).toBe(ids[1]);
  });
});

test('the placeholder of a meta request is never recalled', async () => {
  const { companion, memory, events } = await openRig();
  await companion.metaRequest({ prompt: 'Say something.' });
  await until(() => events.length === 1);
  const { hits } = await memory.recall('redacted', { budgetTokens: 4_000 });
  expect(hits.filter(({ text }) => text.includes('redacted'))).toEqual([]);
  expect((await memory.pack('What about redacted?')).text).not.toContain('redacted');
});
