/** Reads open loops and applies a turn's changes to them. */
import {
  unitsOfKind,
  newUnitSchema,
  wordCache,
  type Episode,
  type Instant,
  type UnitOf,
} from '../../model/model.ts';
import type { Store, UnitChange } from '../../store/store.ts';
import { detectLanguage, diceWith, terms } from '../../text/text.ts';
import { isNoMoreSensitive } from '../scene.ts';
import { expiryOf, withoutTimes } from './due.ts';
import type { FoundLoop } from './loopRules.ts';
import { LOOP_WORDS } from './loopWords.ts';

export type Loop = UnitOf<'loop'>;

/** The most loops that are read, the newest. */
const MAX_READ = 500;
/** The share of a loop's words that a reference to it must contain. */
const MIN_SHARE = 0.5;
/** The least number of these words, unless the loop has fewer. */
const MIN_SHARED = 2;
/** The share of common words from which two loops are the same. */
const SAME = 0.6;
const SAME_DICE = 0.75;
const IMPORTANCE = { due: 0.6, open: 0.45 } as const;

/** Loops that are open at an instant or later, oldest first. */
export async function readOpenLoops(store: Store, at: Instant): Promise<Loop[]> {
  const filter = { kinds: ['loop'], aliveAt: at, maxSensitivity: 'secret' } as const;
  const loops = unitsOfKind('loop', await store.units.list(filter, { limit: MAX_READ }));
  return loops.reverse();
}

/** The loops that are open when an episode occurs. */
export function openAt(loops: readonly Loop[], at: Instant): Loop[] {
  return loops.filter((loop) => loop.payload.status === 'open' && (loop.expiresAt ?? Infinity) > at);
}

const MAX_REMEMBERED_CORES = 4_000;
const cores = wordCache(new Map<string, ReadonlySet<string>>());

/** The terms of a task, without times and words of intention. */
function coreOf(text: string): ReadonlySet<string> {
  let core = cores.get(text);
  if (!core) {
    const timeless = withoutTimes(text);
    core = new Set(terms(timeless.replaceAll(LOOP_WORDS[detectLanguage(text)].cues, ' ')));
    if (core.size === 0) core = new Set(terms(timeless));
    if (cores.size >= MAX_REMEMBERED_CORES) cores.clear();
    cores.set(text, core);
  }
  return core;
}

/** The open loop that a statement about completion refers to: the one with most words in common; or null. */
export function findMatchingLoop(words: string, loops: readonly Loop[], episode: Episode): Loop | null {
  const said = new Set(terms(words));
  const scored = loops
    .filter((loop) => isBefore(loop, episode))
    .map((loop) => {
      const core = coreOf(loop.payload.text);
      const shared = core.intersection(said).size;
      const isEnough = shared >= MIN_SHARED || shared === core.size;
      return { loop, share: shared / Math.max(1, core.size), isEnough };
    })
    .filter(({ share, isEnough }) => share >= MIN_SHARE && isEnough)
    .sort((a, b) => b.share - a.share || b.loop.occurredAt - a.loop.occurredAt);
  return scored[0]?.loop ?? null;
}

function isBefore(loop: Loop, episode: Episode): boolean {
  return loop.occurredAt <= episode.occurredAt && !loop.payload.evidence.includes(episode.id);
}

/** The open loop that equals a found one, or null. */
export function sameLoop(found: FoundLoop, loops: readonly Loop[], episode: Episode): Loop | null {
  const core = coreOf(found.text);
  const likeness = diceWith(found.text);
  return (
    loops.find((loop) => {
      if (!isNoMoreSensitive(loop.sensitivity, episode.sensitivity)) return false;
      const other = coreOf(loop.payload.text);
      const shared = core.intersection(other).size;
      const share = shared / Math.max(1, core.size, other.size);
      return share >= SAME || likeness(loop.payload.text) >= SAME_DICE;
    }) ?? null
  );
}

/** Closes a loop. */
export function endLoop(loop: Loop, status: 'done' | 'dropped', episode: Episode): UnitChange {
  const payload = { ...loop.payload, status, evidence: [...loop.payload.evidence, episode.id] };
  return {
    type: 'update',
    unitId: loop.id,
    set: { content: { kind: 'loop', payload }, state: 'consolidated' },
    reason: status,
    expectedVersion: loop.version,
  };
}

/** Reinforces a loop; a newly named due time replaces the old one. Null when this turn is already its evidence. */
export function repeatLoop(loop: Loop, found: FoundLoop, episode: Episode, max: number): UnitChange | null {
  if (loop.payload.evidence.includes(episode.id)) return null;
  const dueAt = found.dueAt ?? loop.payload.dueAt;
  const payload = { ...loop.payload, dueAt, evidence: [...loop.payload.evidence, episode.id] };
  return {
    type: 'update',
    unitId: loop.id,
    set: {
      content: { kind: 'loop', payload },
      expiresAt: expiryOf(dueAt, episode.occurredAt),
      reinforcement: loop.reinforcement + 1,
      confidence: loop.confidence + Math.max(0, max - loop.confidence) * 0.3,
    },
    reason: 'said again',
    expectedVersion: loop.version,
  };
}

export function addLoop(found: FoundLoop, episode: Episode, source: string): UnitChange {
  const { occurredAt, sensitivity, scope, payload } = episode;
  const { dueAt, confidence } = found;
  // Tasks of others are prefixed with the speaker.
  const text = payload.speaker === 'user' ? found.text : `${payload.speaker}: ${found.text}`;
  const unit = newUnitSchema.parse({
    occurredAt,
    source,
    sensitivity,
    scope,
    confidence,
    salience: dueAt === null ? IMPORTANCE.open : IMPORTANCE.due,
    expiresAt: expiryOf(dueAt, occurredAt),
    content: { kind: 'loop', payload: { text, dueAt, status: 'open', evidence: [episode.id] } },
  });
  return { type: 'add', unit, reason: source };
}
