import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { internals } from '../../engine/engine.ts';
import { messagesOf, openRig, until, type Rig, type RigOptions } from '../../../test/companion/rig.ts';

const at = (wallClock: string) => Date.parse(`${wallClock}+09:00`);

class Clock {
  at = at('2026-05-01T12:00');
  readonly now = () => this.at;
}

async function rigAt(clock: Clock, options: RigOptions = {}): Promise<Rig> {
  return openRig({ withoutModel: true, ...options, now: clock.now });
}

async function keepLoop(rig: Rig, text: string, dueAt: number): Promise<number> {
  const said = await rig.memory.add({ conversationId: 'c', speaker: 'user', text });
  const payload = { text, dueAt, status: 'open' as const, evidence: [said.unitId] };
  const unit = await rig.memory.units.add({ content: { kind: 'loop', payload } });
  return unit.id;
}

/** Loops that are due by then become events. */
async function pass(rig: Rig, clock: Clock, wallClock: string): Promise<void> {
  clock.at = at(wallClock);
  await rig.companion.lookForReminders();
  await until(async () => {
    const jobs = await rig.memory.jobs.list({ kind: 'remind', limit: 100 });
    return jobs.every(({ status, runAfter }) => status === 'queued' && runAfter > clock.at);
  });
}

describe('a loop that is due', () => {
  test('becomes one event, with its evidence, and the next chat contains it', async () => {
    const clock = new Clock();
    const rig = await rigAt(clock, { withoutModel: false });
    const loopId = await keepLoop(rig, '歯医者に行く', at('2026-05-02T09:30'));
    await pass(rig, clock, '2026-05-01T20:00');
    expect(rig.events).toEqual([]);
    rig.model.reply('歯医者、今日の9時半だよ！', 'うん、9時半。');
    await pass(rig, clock, '2026-05-02T09:30');
    await pass(rig, clock, '2026-05-02T09:31');
    expect(rig.events).toMatchObject([
      {
        type: 'reminder',
        data: {
          message: '歯医者、今日の9時半だよ！',
          causeUnitId: loopId,
          loop: { text: '歯医者に行く', status: 'open' },
          evidenceUnitIds: [expect.any(Number)],
        },
      },
    ]);
    expect(await rig.companion.eventsAfter(null, 10)).toEqual(rig.events);
    await rig.chat('それ、何時からだっけ？');
    expect(JSON.stringify(messagesOf(rig.model))).toContain('歯医者、今日の9時半だよ！');
  });

  test('is announced by a template when the model fails, and once although the process restarts', async () => {
    const clock = new Clock();
    const first = await rigAt(clock, { withoutModel: false });
    await keepLoop(first, 'Call the dentist', at('2026-05-02T15:00'));
    first.model.answer(() => ({ status: 500, body: {} }));
    await pass(first, clock, '2026-05-02T15:00');
    expect(first.events.map(({ data }) => data.message)).toEqual([
      'A reminder: “Call the dentist”, today at 15:00.',
    ]);
    await first.companion.stop(0);
    await first.memory.close();
    const second = await rigAt(clock, { dataDir: first.dataDir });
    await pass(second, clock, '2026-05-02T15:05');
    expect(second.events).toEqual([]);
  });

  test('is not announced in quiet hours, when it is closed, or when reminders are off', async () => {
    const clock = new Clock();
    const rig = await rigAt(clock);
    await keepLoop(rig, 'Take the pill', at('2026-05-02T02:00'));
    const closed = await keepLoop(rig, 'Buy milk', at('2026-05-02T10:00'));
    await rig.companion.changeLoop(closed, { action: 'done' });
    clock.at = at('2026-05-01T23:00');
    await pass(rig, clock, '2026-05-02T02:00');
    expect(rig.events).toEqual([]);
    await pass(rig, clock, '2026-05-02T12:00');
    expect(rig.events.map(({ data }) => data.loop?.text)).toEqual(['Take the pill']);
    const off = await rigAt(clock, {
      settings: { reminders: { enabled: false, leadMinutes: 0, quietFrom: '22:00', quietTo: '08:00' } },
    });
    await keepLoop(off, 'Buy milk', at('2026-05-02T13:00'));
    await pass(off, clock, '2026-05-02T13:30');
    expect(off.events).toEqual([]);
  });
});

describe('a person’s answer changes the loop', () => {
  async function reminded(): Promise<{ rig: Rig; clock: Clock; loopId: number }> {
    const clock = new Clock();
    const rig = await rigAt(clock);
    const loopId = await keepLoop(rig, 'Call the dentist', at('2026-05-02T15:00'));
    await pass(rig, clock, '2026-05-02T15:00');
    return { rig, clock, loopId };
  }
  const loopOf = async (rig: Rig, loopId: number) => (await rig.memory.units.get([loopId]))[0]?.payload;

  test('done', async () => {
    const { rig, loopId } = await reminded();
    await rig.chat('Done, thanks!');
    expect(await loopOf(rig, loopId)).toMatchObject({ status: 'done' });
  });

  test('later: moves the loop to the stated time, when a second reminder is sent', async () => {
    const { rig, clock, loopId } = await reminded();
    await rig.chat('Later, remind me at 5 pm');
    expect(await loopOf(rig, loopId)).toMatchObject({ status: 'open', dueAt: at('2026-05-02T17:00') });
    await pass(rig, clock, '2026-05-02T17:00');
    expect(rig.events).toHaveLength(2);
  });

  test('through the API: in an hour, at a time in words, not in the past', async () => {
    const { rig, clock, loopId } = await reminded();
    const later = (until?: string) => rig.companion.changeLoop(loopId, { action: 'later', until });
    expect((await later()).payload.dueAt).toBe(clock.at + 3_600_000);
    expect((await later('明日の朝9時')).payload.dueAt).toBe(at('2026-05-03T09:00'));
    await expect(later('yesterday')).rejects.toMatchObject({ code: 'INVALID_TIME' });
    await expect(rig.companion.changeLoop(4_711, { action: 'done' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

test.each([true, false])('loops are checked regularly; told of changes: %s', async (isToldOfChanges) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { memory } = await openRig({ withoutModel: true, isToldOfChanges });
  const list = vi.spyOn(memory.units, 'list');
  const checksWithin = (ms: number) => {
    list.mockClear();
    vi.advanceTimersByTime(ms);
    return list.mock.calls.length;
  };
  expect(checksWithin(15_000)).toBe(1);
  expect(checksWithin(60_000)).toBe(isToldOfChanges ? 0 : 4);
  internals(memory).wake();
  expect(checksWithin(60_000)).toBe(isToldOfChanges ? 1 : 4);
  expect(checksWithin(1_200_000)).toBe(isToldOfChanges ? 2 : 80);
});
