import { revealed, unitsOfKind, unitText, type Episode } from '../model/model.ts';
import { topicTitles, type InjectionStrategy, type RecallResult } from '../recall/recall.ts';
import type { Neighbours, Store, UnitFilter } from '../store/store.ts';
import { countTokens, terms, type Language } from '../text/text.ts';
import { renderKeyParts, renderLine, renderWhole, type Scene, type ShownExchange } from './exchange.ts';
import { isRedacted } from './redacted.ts';
import type { Entry } from './sections.ts';

const KINDS_OF_OTHER_SECTIONS: ReadonlySet<string> = new Set(['fact', 'loop', 'note', 'summary']);
/** The most exchanges shown. (Deep recall, phase 3) */
const MAX_EXCHANGES = 5;
/** Turns on each side of a hit that belong to its exchange, and those that do if there is another result among them. */
const NEAR = 2;
const REACH = 4;
/** A longer pause between two turns ends an exchange. */
const MAX_PAUSE_MS = 30 * 60_000;

interface EvidenceOptions {
  /** The text around which long texts are cut. */
  readonly queryText: string;
  readonly language: Language;
  /** For the turns before and after. The search did not check them: they could be secret, or later than asked for. */
  readonly mayBeShown: UnitFilter;
  /** The tokens available. Beyond them only key parts of the nearest turns are quoted. */
  readonly roomTokens: () => number;
}

/**
 * The recalled turns worth injecting, each within its exchange: the turns before and after. Exchanges that overlap are
 * shown as one.
 */
export async function gatherEvidence(
  store: Store,
  recalled: RecallResult,
  { queryText, language, mayBeShown, roomTokens }: EvidenceOptions,
): Promise<Entry[]> {
  if (!recalled.inject) return [];
  const ofTurns = recalled.hits.filter(({ kind }) => !KINDS_OF_OTHER_SECTIONS.has(kind));
  const hits = new Map(
    ofTurns.filter(({ relevance }) => relevance !== 'low').map((hit) => [hit.unitId, hit]),
  );
  const around = await store.units.neighbours([...hits.keys()], { before: REACH, after: REACH });
  const adjacent = around.flatMap(({ before, after }) => [...before, ...after]);
  const mayShow = new Set([...hits.keys(), ...(await store.units.filter(adjacent, mayBeShown))]);
  const stored = await store.units.get([...mayShow]);
  const units = stored.map((unit) => revealed(unit, mayBeShown.maxSensitivity));
  const episodes = new Map(unitsOfKind('episode', units).map((unit) => [unit.id, unit]));
  const found = new Set(ofTurns.map(({ unitId }) => unitId));
  const best = mergeTouching(around.map((each) => exchangeAround(each, episodes, found))).slice(
    0,
    MAX_EXCHANGES,
  );
  // Former titles of topics are not stored.
  const bestIds = best.map((exchange) => exchange.best);
  const topics =
    mayBeShown.asOf === undefined
      ? await topicTitles(store, bestIds, await store.topics.ofUnits(bestIds))
      : new Map<number, string>();
  const scene = { hits, topics, words: terms(queryText), language, timeZone: store.timeZone };
  const inOrder = (unitIds: ReadonlySet<number>): Episode[] =>
    [...unitIds]
      .flatMap((id) => episodes.get(id) ?? [])
      .filter((unit) => !isRedacted(unitText(unit)))
      .sort((a, b) => a.payload.turnIndex - b.payload.turnIndex);
  const forms = best.flatMap(({ best: unitId, wide, narrow }): Form[] => {
    const hit = hits.get(unitId);
    return hit
      ? [{ wide: { best: hit, episodes: inOrder(wide) }, narrow: { best: hit, episodes: inOrder(narrow) } }]
      : [];
  });
  return renderAll(recalled.injectionStrategy, forms, scene, roomTokens);
}

/** An exchange with more and with fewer of the turns around the recalled ones. */
interface Form {
  readonly wide: ShownExchange;
  readonly narrow: ShownExchange;
}

function renderAll(
  strategy: InjectionStrategy,
  forms: readonly Form[],
  scene: Scene,
  roomTokens: () => number,
): Entry[] {
  switch (strategy) {
    case 'quote_key_parts':
      return renderWithin(forms, (wide) => renderKeyParts(wide, scene), scene, roomTokens());
    case 'summarize':
      return forms.map(({ narrow }) => renderLine(narrow, scene));
    case 'full':
      return renderWithin(forms, (wide) => renderWhole(wide, scene), scene, roomTokens());
  }
}

/**
 * Key parts of each exchange, and as many of the first ones in the longer form as fit with the key parts of all.
 * @param render gives the longer form
 */
function renderWithin(
  forms: readonly Form[],
  render: (wide: ShownExchange) => Entry,
  scene: Scene,
  roomTokens: number,
): Entry[] {
  const short = forms.map(({ narrow }, i) =>
    renderKeyParts(i === 0 ? withinRoom(narrow, scene, roomTokens) : narrow, scene),
  );
  let room = short.reduce((rest, entry) => rest - tokensOf(entry), roomTokens);
  return forms.map(({ wide }, i) => {
    const [long, entry] = [render(wide), short[i] as Entry];
    const more = tokensOf(long) - tokensOf(entry);
    if (more > room) return entry;
    room -= more;
    return long;
  });
}

/**
 * The turns of an exchange whose key parts fit, the recalled ones first: a day on which much was said is one long
 * exchange, and without this it would not be shown at all. Where there is no room, nothing is left out.
 */
function withinRoom(exchange: ShownExchange, scene: Scene, roomTokens: number): ShownExchange {
  const { best, episodes } = exchange;
  const fits = (kept: ReadonlySet<number>) =>
    tokensOf(renderKeyParts({ best, episodes: episodes.filter(({ id }) => kept.has(id)) }, scene)) <=
    roomTokens;
  const ids = new Set(episodes.map(({ id }) => id));
  if (roomTokens <= 0 || fits(ids)) return exchange;
  const recalledFirst = [...new Set([...scene.hits.keys(), ...ids])].filter((id) => ids.has(id));
  let kept: ReadonlySet<number> = new Set([best.unitId]);
  for (const id of recalledFirst) {
    const more = new Set([...kept, id]);
    if (!fits(more)) break;
    kept = more;
  }
  return { best, episodes: episodes.filter(({ id }) => kept.has(id)) };
}

function tokensOf({ lines }: Entry): number {
  return countTokens(lines.join('\n'));
}

interface Exchange {
  /** The hit that ranks highest. */
  readonly best: number;
  /** The turns shown if there is room, and those shown in any case: the hits, and one turn before and after each. */
  readonly wide: ReadonlySet<number>;
  readonly narrow: ReadonlySet<number>;
}

/**
 * A hit and the turns around it. People tell things over several turns, so it extends `NEAR` turns to both sides, and
 * to another result of the recall within `REACH` turns, as long as the turns follow each other in time.
 * @param episodes by unit, those that may be shown
 * @param found the results of the recall, of any relevance
 */
function exchangeAround(
  { unitId, before, after }: Neighbours,
  episodes: ReadonlyMap<number, Episode>,
  found: ReadonlySet<number>,
): Exchange {
  const sides = [before.toReversed(), after].map((side) =>
    extent(unitId, side, episodes).filter(
      (_, i, near) => i < NEAR || near.slice(i).some((id) => found.has(id)),
    ),
  );
  const nextTo = sides.flatMap((side) => side.slice(0, 1));
  return { best: unitId, wide: new Set([unitId, ...sides.flat()]), narrow: new Set([unitId, ...nextTo]) };
}

/** The turns of one side, nearest first, up to a pause or a turn that may not be shown. The first may come at any time. */
function extent(unitId: number, side: readonly number[], episodes: ReadonlyMap<number, Episode>): number[] {
  const ids = [unitId, ...side];
  const end = side.findIndex((id, i) => {
    const [turn, nearer] = [episodes.get(id), episodes.get(ids[i] as number)];
    if (!turn || !nearer) return true;
    return i > 0 && Math.abs(turn.occurredAt - nearer.occurredAt) > MAX_PAUSE_MS;
  });
  return end < 0 ? [...side] : side.slice(0, end);
}

/** Joins exchanges that share a turn, at the position of the best. */
function mergeTouching(exchanges: readonly Exchange[]): Exchange[] {
  let merged: Exchange[] = [];
  for (const exchange of exchanges) {
    const touching = merged.filter(({ wide }) => !wide.isDisjointFrom(exchange.wide));
    const { best } = touching[0] ?? exchange;
    const parts = [...touching, exchange];
    const whole = {
      best,
      wide: new Set(parts.flatMap(({ wide }) => [...wide])),
      narrow: new Set(parts.flatMap(({ narrow }) => [...narrow])),
    };
    // Exchanges before the first one that it overlaps keep their position.
    const place = touching[0] ? merged.indexOf(touching[0]) : merged.length;
    merged = merged.toSpliced(place, 0, whole).filter((part) => !touching.includes(part));
  }
  return merged;
}
