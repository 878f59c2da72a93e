/** Existing topic tags, so that one topic keeps one tag. */
import type { Store } from '../../store/store.ts';
import { terms } from '../../text/text.ts';

/** The number of newest episodes whose tags are read. */
const MAX_READ = 200;
/** The most tags that a model is shown, by frequency. */
const MAX_SHOWN = 40;

export interface KnownTags {
  /** The most frequent first, a dash when there are none. */
  readonly shown: string;
  /** Replaces each tag by its first known form: `piano lessons` for `Piano Lesson`. */
  normalize(tags: readonly string[]): string[];
}

export async function readKnownTags(store: Store): Promise<KnownTags> {
  const recent = await store.units.list({ kinds: ['episode'] }, { limit: MAX_READ });
  const known = new Map<string, { tag: string; count: number }>();
  const formOf = (tag: string) => {
    const key = keyOf(tag);
    const form = known.get(key) ?? { tag: plain(tag), count: 0 };
    known.set(key, form);
    return form;
  };
  for (const tag of recent.toReversed().flatMap((episode) => episode.topicTags)) formOf(tag).count += 1;
  const frequent = [...known.values()].toSorted((a, b) => b.count - a.count).slice(0, MAX_SHOWN);
  return {
    shown: frequent.length === 0 ? '-' : frequent.map(({ tag }) => tag).join(', '),
    normalize: (tags) => [...new Set(tags.map((tag) => formOf(tag).tag))].filter((tag) => tag !== ''),
  };
}

function plain(tag: string): string {
  return tag
    .normalize('NFKC')
    .replace(/^[#\s]+/, '')
    .replaceAll(/\s+/gu, ' ')
    .replace(/[\s.。,、!！?？:：;；]+$/u, '');
}

/** A key that ignores case, width and endings. */
function keyOf(tag: string): string {
  return terms(tag).join(' ') || plain(tag).toLowerCase();
}
