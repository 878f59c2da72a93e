/** Renders an exchange for a pack: its key parts, the whole, or one line. */
import { localDate, unitText, type Episode } from '../model/model.ts';
import type { Hit } from '../recall/recall.ts';
import { snippet, type Language } from '../text/text.ts';
import { nameTag, quote, unquoted } from './quote.ts';
import type { Entry } from './sections.ts';

/** Recalled turns and the turns around them, in order. */
export interface ShownExchange {
  /** The hit that ranks highest. */
  readonly best: Hit;
  readonly episodes: readonly Episode[];
}

export interface Scene {
  readonly hits: ReadonlyMap<number, Hit>;
  /** Titles of the topics of the best hits that have one. */
  readonly topics: ReadonlyMap<number, string>;
  /** Terms of the utterance, around which long texts are cut. */
  readonly words: readonly string[];
  readonly language: Language;
  readonly timeZone: string;
}

/** Longest quotation, in UTF-16 units, of a recalled turn, and of one before or after it. */
const HIT_CHARS = 320;
const NEIGHBOUR_CHARS = 160;
const TITLE_CHARS = 32;
/** The same for an exchange rendered as one line. */
const LINE_CHARS = 120;

const RELATED: Readonly<Record<Language, string>> = { ja: '関連', zh: '关联', en: 'Related' };

export function renderKeyParts(exchange: ShownExchange, scene: Scene): Entry {
  return renderTurns(exchange, scene, ({ id }) => (scene.hits.has(id) ? HIT_CHARS : NEIGHBOUR_CHARS));
}

export function renderWhole(exchange: ShownExchange, scene: Scene): Entry {
  return renderTurns(exchange, scene, () => Infinity);
}

/** Only the recalled turns, each with the part that answers the utterance. */
export function renderLine({ best, episodes }: ShownExchange, scene: Scene): Entry {
  const recalled = episodes.filter(({ id }) => scene.hits.has(id));
  const quotes = recalled.map((episode) => turnLine(episode, scene, LINE_CHARS)).join(' / ');
  return {
    lines: [`[${dateOf(best, scene)}] ${quotes} ${reasonLine(best, scene)}`],
    unitIds: idsOf(recalled),
  };
}

function renderTurns(
  { best, episodes }: ShownExchange,
  scene: Scene,
  maxChars: (episode: Episode) => number,
): Entry {
  return {
    lines: [
      `[${dateOf(best, scene)}] ${titleOf(best, scene)}`,
      ...episodes.map((episode) => turnLine(episode, scene, maxChars(episode))),
      reasonLine(best, scene),
    ],
    unitIds: idsOf(episodes),
  };
}

/** Its topic; without one, the recalled text. */
function titleOf({ unitId, text }: Hit, scene: Scene): string {
  return part(scene.topics.get(unitId) ?? text, scene, TITLE_CHARS);
}

function turnLine(episode: Episode, scene: Scene, maxChars: number): string {
  return `${nameTag(episode.payload.speaker)}: ${part(turnText(episode, scene, maxChars), scene, maxChars)}`;
}

/** The text of a turn; of a recalled turn that is too long, the passage that answers. */
function turnText(episode: Episode, { hits }: Scene, maxChars: number): string {
  const text = unitText(episode);
  if (text.length <= maxChars) return text;
  return hits.get(episode.id)?.passage.text ?? text;
}

function part(text: string, { language, words }: Scene, maxChars: number): string {
  return quote(snippet(text, { maxChars, around: words }), language);
}

function reasonLine({ why }: Hit, { language }: Scene): string {
  return `→ ${RELATED[language]}: ${unquoted(why.reason ?? why.sentence)}`;
}

function dateOf({ occurredAt }: Hit, { timeZone }: Scene): string {
  return localDate(Date.parse(occurredAt), timeZone);
}

function idsOf(episodes: readonly Episode[]): number[] {
  return episodes.map(({ id }) => id);
}
