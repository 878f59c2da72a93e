import { localDate, unitText, type Episode } from '../model/model.ts';
import type { Hit, RecallResult } from '../recall/recall.ts';
import type { Store, UnitFilter } from '../store/store.ts';
import { snippet, terms, type Language } from '../text/text.ts';
import { nameTag, quote, unquoted } from './quote.ts';
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
 * @param mayBeShown what the turns beside a recalled one must pass: they were not searched for, so nothing else has
 * kept a secret, or what came later than asked for, away from here.
 */
export async function gatherEvidence(
  store: Store,
  recalled: RecallResult,
  utterance: string,
  language: Language,
  mayBeShown: UnitFilter,
): Promise<Entry[]> {
  if (!recalled.inject) return [];
  const hits = new Map(
    recalled.hits.filter((hit) => hit.relevance !== 'low').map((hit) => [hit.unitId, hit]),
  );
  const around = await store.neighbours([...hits.keys()], { before: 1, after: 1 });
  const beside = around.flatMap(({ before, after }) => [...before, ...after]);
  const shown = new Set([...hits.keys(), ...(await store.filterUnits(beside, mayBeShown))]);
  const exchanges = mergeTouching(
    around.map(({ unitId, before, after }) => ({
      best: unitId,
      unitIds: [...before, unitId, ...after].filter((id) => shown.has(id)),
    })),
  );
  const scene = { hits, words: terms(utterance), language, timeZone: store.timeZone };
  const entries = exchanges.slice(0, MOST_EXCHANGES).map(async ({ best, unitIds }) => {
    const episodes = (await store.getUnits(unitIds)).filter((unit) => unit.kind === 'episode');
    const hit = hits.get(best);
    return hit ? [renderExchange(episodes, hit, scene)] : [];
  });
  return (await Promise.all(entries)).flat();
}

interface Exchange {
  /** The hit that ranks highest. */
  readonly best: number;
  readonly unitIds: readonly number[];
}

/** Joins exchanges that share a turn, in the place of the best. */
function mergeTouching(exchanges: readonly Exchange[]): Exchange[] {
  let merged: Exchange[] = [];
  for (const exchange of exchanges) {
    const touching = merged.filter(({ unitIds }) => unitIds.some((id) => exchange.unitIds.includes(id)));
    const { best } = touching[0] ?? exchange;
    const unitIds = new Set([...touching, exchange].flatMap((part) => part.unitIds));
    const whole = { best, unitIds: [...unitIds] };
    // All that stands before the first it touches stays there.
    const place = touching[0] ? merged.indexOf(touching[0]) : merged.length;
    merged = merged.toSpliced(place, 0, whole).filter((part) => !touching.includes(part));
  }
  return merged;
}

interface Scene {
  readonly hits: ReadonlyMap<number, Hit>;
  /** Terms of the utterance, around which long texts are cut. */
  readonly words: readonly string[];
  readonly language: Language;
  readonly timeZone: string;
}

function renderExchange(episodes: readonly Episode[], best: Hit, scene: Scene): Entry {
  const { hits, words, language, timeZone } = scene;
  const inOrder = [...episodes].sort((a, b) => a.payload.turnIndex - b.payload.turnIndex);
  const part = (text: string, maxChars: number) =>
    quote(snippet(text, { maxChars, around: words }), language);
  const date = localDate(Date.parse(best.occurredAt), timeZone);
  return {
    lines: [
      `[${date}] ${part(best.text, TITLE_CHARS)}`,
      ...inOrder.map((episode) => {
        const maxChars = hits.has(episode.id) ? HIT_CHARS : BESIDE_CHARS;
        return `${nameTag(episode.payload.speaker)}: ${part(unitText(episode), maxChars)}`;
      }),
      `→ ${RELATED[language]}: ${unquoted(best.why.sentence)}`,
    ],
    unitIds: inOrder.map((episode) => episode.id),
  };
}
