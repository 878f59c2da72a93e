/** A scene: an episode with the turns before it, as input of derivations. */
import {
  unitsOfKind,
  instantToWallClock,
  maskedWords,
  unitText,
  type Episode,
  type Instant,
  type Sensitivity,
  SENSITIVITIES,
} from '../model/model.ts';
import type { DerivationMark, Store } from '../store/store.ts';
import { detectLanguage, type Language, oneLine } from '../text/text.ts';
import { withoutPackText } from './guard.ts';
import { markOf, type MarkParts } from './inputMarks.ts';

export interface Scene {
  readonly episode: Episode;
  /** The text of the turn, without text copied from a pack; may be empty. */
  readonly text: string;
  /** The turns before it that are not more sensitive, oldest first. */
  readonly before: readonly Episode[];
  readonly language: Language;
}

/** How many turns before an episode a model is shown. */
const TURNS_BEFORE = 6;
/** At most this much of a turn is shown to a model, UTF-16 units. */
const MAX_TURN_LENGTH = 4_000;

/** An episode for rules, without the turns before. */
export function plainScene(episode: Episode): Scene {
  const text = withoutPackText(unitText(episode));
  return { episode, text, before: [], language: detectLanguage(text) };
}

/** An episode with the turns before it, for a model. */
export async function readScene(store: Store, episode: Episode): Promise<Scene> {
  const [around] = await store.units.neighbours([episode.id], { before: TURNS_BEFORE, after: 0 });
  const units = await store.units.get(around?.before ?? []);
  const before = unitsOfKind('episode', units).filter((unit) =>
    isNoMoreSensitive(unit.sensitivity, episode.sensitivity),
  );
  const text = withoutPackText(unitText(episode)).slice(0, MAX_TURN_LENGTH).toWellFormed();
  const fallback = before.length > 0 ? detectLanguage(before.map(unitText).join('\n')) : 'en';
  return { episode, text, before, language: detectLanguage(text, fallback) };
}

export function isNoMoreSensitive(one: Sensitivity, than: Sensitivity): boolean {
  return SENSITIVITIES.indexOf(one) <= SENSITIVITIES.indexOf(than);
}

/** All text of a scene, for its mark. */
export function wordsOf({ episode, text, before }: Scene): string[] {
  return [...before, episode].flatMap(({ payload, occurredAt }, i) => [
    payload.speaker,
    String(occurredAt),
    i < before.length ? maskedWords(payload) : text,
  ]);
}

/** The turns before, one line each, or a dash. */
export function formatBefore({ before }: Scene, timeZone: string): string {
  if (before.length === 0) return '-';
  return before
    .map((episode) => formatTurn(episode, withoutPackText(unitText(episode)), timeZone))
    .join('\n');
}

/** `2024-05-03 (Fri) 18:20 user: …`, on one line. */
export function formatTurn(episode: Episode, text: string, timeZone: string): string {
  return `${formatTime(episode.occurredAt, timeZone)} ${episode.payload.speaker}: ${oneLine(text)}`;
}

/** `2024-05-03 (Fri) 18:20`, in the time zone. */
function formatTime(at: Instant, timeZone: string): string {
  const wall = new Date(instantToWallClock(at, timeZone));
  const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][wall.getUTCDay()] ?? '';
  const [date = '', time = ''] = wall.toISOString().split('T');
  return `${date} (${weekday}) ${time.slice(0, 5)}`;
}

/** The mark of a derivation from a scene. */
export function markOfScene(
  kind: string,
  scene: Scene,
  form: Pick<MarkParts, 'version' | 'modelId'>,
): DerivationMark {
  return markOf({ ...form, unitId: scene.episode.id, kind, words: wordsOf(scene) });
}
