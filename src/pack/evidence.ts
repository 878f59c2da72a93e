import { revealed, unitsOfKind, unitText } from '../model/model.ts';
import { topicTitles, type InjectionStrategy, type RecallResult } from '../recall/recall.ts';
import type { Store, UnitFilter } from '../store/store.ts';
import { countTokens, terms, type Language } from '../text/text.ts';
import { renderKeyParts, renderLine, renderWhole, type Scene, type ShownExchange } from './exchange.ts';
import { isRedacted } from './redacted.ts';
import type { Entry } from './sections.ts';

const KINDS_OF_OTHER_SECTIONS: ReadonlySet<string> = new Set(['fact', 'loop', 'note', 'summary']);
/** The most exchanges shown. (Deep recall, phase 3) */
const MAX_EXCHANGES = 5;

interface EvidenceOptions {
  /** The text around which long texts are cut. */
  readonly queryText: string;
  readonly language: Language;
  /** For the turns before and after. The search did not check them: they could be secret, or later than asked for. */
  readonly mayBeShown: UnitFilter;
  /** The tokens available for whole texts. Beyond them only key parts are quoted. */
  readonly roomTokens: () => number;
}

/**
 * The recalled turns worth injecting, each with its exchange: the turn before and the turn after. Exchanges that
 * overlap are shown as one.
 */
export async function gatherEvidence(
  store: Store,
  recalled: RecallResult,
  { queryText, language, mayBeShown, roomTokens }: EvidenceOptions,
): Promise<Entry[]> {
  if (!recalled.inject) return [];
  const hits = new Map(
    recalled.hits
      .filter((hit) => !KINDS_OF_OTHER_SECTIONS.has(hit.kind) && hit.relevance !== 'low')
      .map((hit) => [hit.unitId, hit]),
  );
  const around = await store.units.neighbours([...hits.keys()], { before: 1, after: 1 });
  const adjacent = around.flatMap(({ before, after }) => [...before, ...after]);
  const shown = new Set([...hits.keys(), ...(await store.units.filter(adjacent, mayBeShown))]);
  const exchanges = mergeTouching(
    around.map(({ unitId, before, after }) => ({
      best: unitId,
      unitIds: [...before, unitId, ...after].filter((id) => shown.has(id)),
    })),
  );
  const best = exchanges.slice(0, MAX_EXCHANGES);
  // Former titles of topics are not stored.
  const bestIds = best.map((exchange) => exchange.best);
  const topics =
    mayBeShown.asOf === undefined
      ? await topicTitles(store, bestIds, await store.topics.ofUnits(bestIds))
      : new Map<number, string>();
  const scene = { hits, topics, words: terms(queryText), language, timeZone: store.timeZone };
  const stored = await store.units.get(best.flatMap(({ unitIds }) => unitIds));
  const units = stored.map((unit) => revealed(unit, mayBeShown.maxSensitivity));
  const shownExchanges = best.flatMap((exchange): ShownExchange[] => {
    const hit = hits.get(exchange.best);
    const episodes = unitsOfKind('episode', units).filter(
      (unit) => exchange.unitIds.includes(unit.id) && !isRedacted(unitText(unit)),
    );
    const inOrder = episodes.sort((a, b) => a.payload.turnIndex - b.payload.turnIndex);
    return hit ? [{ best: hit, episodes: inOrder }] : [];
  });
  return renderAll(recalled.injectionStrategy, shownExchanges, scene, roomTokens);
}

function renderAll(
  strategy: InjectionStrategy,
  exchanges: readonly ShownExchange[],
  scene: Scene,
  roomTokens: () => number,
): Entry[] {
  switch (strategy) {
    case 'quote_key_parts':
      return exchanges.map((exchange) => renderKeyParts(exchange, scene));
    case 'summarize':
      return exchanges.map((exchange) => renderLine(exchange, scene));
    case 'full':
      return renderWithin(exchanges, scene, roomTokens());
  }
}

/** The better exchanges whole; one that does not fit any more is reduced to its key parts. */
function renderWithin(exchanges: readonly ShownExchange[], scene: Scene, roomTokens: number): Entry[] {
  let room = roomTokens;
  return exchanges.map((exchange) => {
    const whole = renderWhole(exchange, scene);
    const entry = tokensOf(whole) <= room ? whole : renderKeyParts(exchange, scene);
    room -= tokensOf(entry);
    return entry;
  });
}

function tokensOf({ lines }: Entry): number {
  return countTokens(lines.join('\n'));
}

interface Exchange {
  /** The hit that ranks highest. */
  readonly best: number;
  readonly unitIds: readonly number[];
}

/** Joins exchanges that share a turn, at the position of the best. */
function mergeTouching(exchanges: readonly Exchange[]): Exchange[] {
  let merged: Exchange[] = [];
  for (const exchange of exchanges) {
    const touching = merged.filter(({ unitIds }) => unitIds.some((id) => exchange.unitIds.includes(id)));
    const { best } = touching[0] ?? exchange;
    const unitIds = new Set([...touching, exchange].flatMap((part) => part.unitIds));
    const whole = { best, unitIds: [...unitIds] };
    // Exchanges before the first one that it overlaps keep their position.
    const place = touching[0] ? merged.indexOf(touching[0]) : merged.length;
    merged = merged.toSpliced(place, 0, whole).filter((part) => !touching.includes(part));
  }
  return merged;
}
