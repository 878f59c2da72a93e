import { localDate, unitText, type Episode, type Unit } from '../model/model.ts';
import type { Hit, RecallResult } from '../recall/recall.ts';
import type { Store } from '../store/store.ts';
import { snippet, terms, type Language } from '../text/text.ts';
import { oneLine, quote } from './quote.ts';
import type { Entry } from './sections.ts';

/** Longest quotation of a turn that was recalled, and of one beside it, UTF-16 units. */
const HIT_CHARS = 320;
const BESIDE_CHARS = 160;
const TITLE_CHARS = 32;
/** Exchanges shown at most. (Deep recall, phase 3) */
const MOST_EXCHANGES = 5;

const RELATED: Readonly<Record<Language, string>> = { ja: '関連', zh: '关联', en: 'Related' };

/**
 * The recalled turns worth injecting, each within its exchange: the turn before and the turn after. Exchanges that
 * touch are shown as one.
 */
export async function gatherEvidence(
  store: Store,
  recalled: RecallResult,
  utterance: string,
  language: Language,
): Promise<Entry[]> {
  if (!recalled.inject) return [];
  const hits = recalled.hits.filter((hit) => hit.relevance !== 'low');
  const around = await store.neighbours(
    hits.map((hit) => hit.unitId),
    { before: 1, after: 1 },
  );
  const exchanges = mergeTouching(
    around.map(({ unitId, before, after }) => ({ hitIds: [unitId], unitIds: [...before, unitId, ...after] })),
  ).slice(0, MOST_EXCHANGES);
  const units = new Map(
    (await store.getUnits([...new Set(exchanges.flatMap((exchange) => exchange.unitIds))])).map((u) => [
      u.id,
      u,
    ]),
  );
  const hitsById = new Map(hits.map((hit) => [hit.unitId, hit]));
  const words = terms(utterance);
  return exchanges.flatMap((exchange) => {
    const episodes = exchange.unitIds.flatMap((id) => asEpisode(units.get(id)) ?? []);
    const best = hitsById.get(exchange.hitIds[0] ?? 0);
    return best ? [renderExchange(episodes, best, hitsById, words, language, store.timeZone)] : [];
  });
}

interface Exchange {
  /** Best first. */
  readonly hitIds: readonly number[];
  /** In the order in which they were said. */
  readonly unitIds: readonly number[];
}

/** Joins exchanges that share a turn, in the place of the better one. */
function mergeTouching(exchanges: readonly Exchange[]): Exchange[] {
  const merged: Exchange[] = [];
  for (const exchange of exchanges) {
    const touches = (other: Exchange) => other.unitIds.some((id) => exchange.unitIds.includes(id));
    const at = merged.findIndex(touches);
    const joined = merged.filter(touches).concat(exchange);
    const whole = {
      hitIds: joined.flatMap((part) => part.hitIds),
      unitIds: [...new Set(joined.flatMap((part) => part.unitIds))].sort((a, b) => a - b),
    };
    const rest = merged.filter((other) => !touches(other));
    merged.length = 0;
    merged.push(...rest);
    merged.splice(at === -1 ? merged.length : Math.min(at, merged.length), 0, whole);
  }
  return merged;
}

function renderExchange(
  episodes: readonly Episode[],
  best: Hit,
  hits: ReadonlyMap<number, Hit>,
  words: readonly string[],
  language: Language,
  timeZone: string,
): Entry {
  const inOrder = [...episodes].sort((a, b) => a.payload.turnIndex - b.payload.turnIndex);
  const title = oneLine(snippet(best.text, { maxChars: TITLE_CHARS, around: words }));
  const lines = inOrder.map((episode) => {
    const maxChars = hits.has(episode.id) ? HIT_CHARS : BESIDE_CHARS;
    const said = snippet(unitText(episode), { maxChars, around: words });
    return `${oneLine(episode.payload.speaker)}: ${quote(said, language)}`;
  });
  const date = localDate(Date.parse(best.occurredAt), timeZone);
  return {
    lines: [`[${date}] ${title}`, ...lines, `→ ${RELATED[language]}: ${oneLine(best.why.sentence)}`],
    unitIds: inOrder.map((episode) => episode.id),
  };
}

function asEpisode(unit: Unit | undefined): Episode | undefined {
  return unit?.kind === 'episode' ? unit : undefined;
}
