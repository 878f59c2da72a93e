import { afterEach, beforeEach, expect, it } from 'vitest';
import { DAY_MS, unitText } from '../model/model.ts';
import type { Hit, RecallResult } from '../recall/recall.ts';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import type { Store } from '../store/store.ts';
import { countTokens } from '../text/text.ts';
import { gatherEvidence } from './evidence.ts';

const NOW = Date.parse('2026-03-11T12:00:00Z');

let store: Store;
beforeEach(() => {
  store = openSqliteStore(':memory:', { memoryId: 'evidence', timeZone: 'UTC', now: () => NOW });
});
afterEach(() => store.close());

/** Adds a conversation, one minute between turns, and returns the episodes' ids. */
async function say(
  conversationId: string,
  said: readonly { readonly text: string; readonly at?: number }[],
): Promise<number[]> {
  const appended = await store.evidence.append(
    said.map(({ text, at = NOW - DAY_MS }, turnIndex) => ({
      conversationId,
      turnIndex,
      speaker: turnIndex % 2 === 0 ? 'user' : 'ai',
      text,
      occurredAt: at + turnIndex * 60_000,
      meta: {},
      source: 'chat',
      sensitivity: 'normal' as const,
      scope: 'global' as const,
      imageSummary: null,
      jobKinds: [],
    })),
  );
  return appended.map(({ unitId }) => unitId);
}

/** As if these had been recalled, best first. */
const recalled = async (unitIds: readonly number[], over: Partial<Hit> = {}): Promise<RecallResult> => {
  const units = await store.units.get(unitIds);
  const hits = units.map((unit) => ({
    unitId: unit.id,
    text: unitText(unit),
    passage: { text: unitText(unit), from: 0, to: unitText(unit).length },
    occurredAt: new Date(unit.occurredAt).toISOString(),
    relevance: 'high',
    why: { sentence: `because of ${unit.id}`, contributions: [], reason: null },
    ...over,
  }));
  return { hits, inject: true, injectionStrategy: 'quote_key_parts' } as unknown as RecallResult;
};
const gather = (result: RecallResult, roomTokens = 0) =>
  gatherEvidence(store, result, {
    queryText: 'bridge',
    language: 'en',
    mayBeShown: {},
    roomTokens: () => roomTokens,
  });
const letters = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ text: `turn ${'abcdefghijklmnop'[i]}` }));

it('is empty when nothing is worth injecting, and never contains hits labelled low', async () => {
  const ids = await say('c', letters(3));
  expect(await gather({ ...(await recalled(ids)), inject: false })).toEqual([]);
  expect(await gather(await recalled(ids, { relevance: 'low' }))).toEqual([]);
});

it('contains each recalled turn within its exchange: when, who said what, and why', async () => {
  const ids = await say('c', letters(5));
  const [entry, ...others] = await gather(await recalled([ids[2] as number]));
  expect(others).toEqual([]);
  expect(entry).toEqual({
    unitIds: ids.slice(1, 4),
    lines: [
      '[2026-03-10] “turn c”',
      'ai: “turn b”',
      'user: “turn c”',
      'ai: “turn d”',
      `→ Related: because of ${ids[2]}`,
    ],
  });
});

it('extends an exchange while there is room: two turns, up to another result within four, not over a pause', async () => {
  const ids = await say('c', letters(9));
  const hours = [20, 20, 20, 4, 4];
  const paused = await say(
    'd',
    letters(5).map(({ text }, i) => ({
      text,
      at: NOW - ((hours[i] as number) * DAY_MS) / 24,
    })),
  );
  const at = (...places: number[]) => places.map((place) => ids[place] as number);
  const shown = async (unitIds: number[], roomTokens: number, low: number[] = []) => {
    const [wanted, unsure] = [await recalled(unitIds), await recalled(low, { relevance: 'low' })];
    const [entry] = await gather({ ...wanted, hits: [...wanted.hits, ...unsure.hits] }, roomTokens);
    return entry?.unitIds;
  };
  expect(await shown(at(4), 1_000)).toEqual(at(2, 3, 4, 5, 6));
  expect(await shown(at(4), 1_000, at(8))).toEqual(at(2, 3, 4, 5, 6, 7, 8));
  expect(await shown(at(3), 1_000, at(8))).toEqual(at(1, 2, 3, 4, 5));
  expect(await shown(at(4), 0, at(8))).toEqual(at(3, 4, 5));
  expect(await shown([paused[1] as number], 1_000)).toEqual(paused.slice(0, 3));
  // The turn right after may come later: it is the reply.
  expect(await shown([paused[2] as number], 1_000)).toEqual(paused);
});

it('shows exchanges that share a turn as one, in order of time, at the position of the best', async () => {
  const [near, far] = [await say('near', letters(8)), await say('far', letters(3))];
  const at = (ids: number[], ...places: number[]) => places.map((place) => ids[place] as number);
  const [first, second, ...others] = await gather(
    // 5 first; 1 apart from it; 3 joins the two.
    await recalled([...at(near, 5), ...at(far, 1), ...at(near, 1, 3)]),
  );
  expect(others).toEqual([]);
  expect(first?.unitIds).toEqual(near.slice(0, 7));
  expect(first?.lines.at(0)).toBe('[2026-03-10] “turn f”');
  expect(first?.lines.at(-1)).toBe(`→ Related: because of ${near[5]}`);
  expect(second?.unitIds).toEqual(far);
});

it('shows of a long exchange as many recalled turns as fit, the best first, in order of time', async () => {
  const ids = await say('c', letters(12));
  const ranked = [6, 2, 9, 4, 10, 0, 8].map((place) => ids[place] as number);
  const result = await recalled(ranked);
  const byRank = ranked.flatMap((id) => result.hits.find(({ unitId }) => unitId === id) ?? []);
  const [all] = await gather({ ...result, hits: byRank });
  expect(all?.unitIds).toEqual(ids.slice(0, 12));
  const room = countTokens(all?.lines.join('\n') ?? '') - 30;
  const [entry] = await gather({ ...result, hits: byRank }, room);
  expect(countTokens(entry?.lines.join('\n') ?? '')).toBeLessThanOrEqual(room);
  expect(entry?.unitIds).toEqual(expect.arrayContaining(ranked));
  expect(entry?.unitIds).toEqual([...(entry?.unitIds ?? [])].sort((a, b) => a - b));
  const [least] = await gather({ ...result, hits: byRank }, 40);
  expect(least?.unitIds).toEqual([ids[2], ids[6], ids[9]]);
});

it('keeps separate exchanges apart, at most five', async () => {
  const ids: number[] = [];
  for (let n = 0; n < 7; n += 1) ids.push((await say(`c${n}`, letters(3)))[1] as number);
  const entries = await gather(await recalled(ids));
  expect(entries.map((entry) => entry.unitIds[1])).toEqual(ids.slice(0, 5));
});

it('cuts long turns around the words of the question, the recalled one less than its neighbours', async () => {
  const long = `${'Nothing happened for a while. '.repeat(30)}Then the bridge swayed. ${'And so on. '.repeat(30)}`;
  const ids = await say('c', [{ text: long }, { text: long }]);
  const [entry] = await gather(await recalled([ids[1] as number]));
  const [title, beside, hit] = (entry?.lines ?? []).map((line) => line.replace(/^.*?“/u, ''));
  for (const line of [title, beside, hit]) expect(line).toContain('bridge');
  expect(title?.length).toBeLessThanOrEqual(33);
  expect(beside?.length).toBeLessThanOrEqual(161);
  expect(hit?.length).toBeLessThanOrEqual(321);
  expect(hit?.length).toBeGreaterThan(161);
});

it('gives the reason of the model that chose it', async () => {
  const ids = await say('c', letters(1));
  const why = {
    sentence: 'user on 2026-03-10: it bears on it.',
    contributions: [],
    reason: 'It “bears” on it',
  };
  const [entry] = await gather(await recalled(ids, { why }));
  expect(entry?.lines.at(-1)).toBe('→ Related: It ‘bears’ on it');
});

it('is complete on request while it fits, otherwise in its most relevant parts', async () => {
  const long = `The bridge swayed. ${'And so on and on. '.repeat(60)}The end.`;
  const ids = [await say('a', [{ text: long }]), await say('b', [{ text: long }])].flat();
  const result = { ...(await recalled(ids)), injectionStrategy: 'full' } as const;
  const wholes = async (room: number) =>
    (await gather(result, room)).map(({ lines }) => lines.join().includes('The end.'));
  const [entry] = await gather(result, 10_000);
  const size = countTokens(entry?.lines.join('\n') ?? '');
  expect(size).toBeGreaterThan(300);
  expect([await wholes(2 * size), await wholes(2 * size - 1), await wholes(0)]).toEqual([
    [true, true],
    [true, false],
    [false, false],
  ]);
});

it('is one line for each exchange on request, with recalled turns only', async () => {
  const [a, b] = [await say('a', letters(4)), await say('b', letters(2))] as const;
  const ids = [a[1], a[2], b[0]] as number[];
  const result = { ...(await recalled(ids)), injectionStrategy: 'summarize' } as const;
  expect(await gather(result)).toEqual([
    {
      lines: [`[2026-03-10] ai: “turn b” / user: “turn c” → Related: because of ${a[1]}`],
      unitIds: a.slice(1, 3),
    },
    { lines: [`[2026-03-10] user: “turn a” → Related: because of ${b[0]}`], unitIds: [b[0]] },
  ]);
});
