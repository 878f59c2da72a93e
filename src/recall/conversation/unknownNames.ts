import type { Store } from '../../store/store.ts';
import { nameKeys, terms, wholeNameKeys } from '../../text/text.ts';
import type { CountedTurns } from './queryTerms.ts';

/**
 * Whether an utterance asks about somebody or something by a name that the memory has never heard: no candidate contains
 * the name, and no entity has it in any script. A memory cannot know when Lorraine's birthday is, although it may know
 * somebody else's.
 * @param names those that the utterance asks about
 */
export async function asksAboutUnknown(
  store: Store,
  names: readonly string[],
  counted: CountedTurns,
): Promise<boolean> {
  const missing = names.filter((name) => !isMentioned(name, counted)).map(nameKeys);
  if (missing.length === 0) return false;
  const known = await store.entities.find(missing.flat());
  return missing.some((keys) => !keys.some((key) => known.has(key)));
}

/** Whether any turn contains a word of the name, or of a Chinese or Japanese name two characters in order. */
function isMentioned(name: string, counted: CountedTurns): boolean {
  const all = terms(withoutTitle(name));
  const telling = all.filter((term) => term.length > 1);
  const wanted = telling.length > 0 ? telling : all;
  return wanted.length === 0 || wanted.some((term) => counted.contains(term));
}

/** 陈老师 without 老师, which every teacher is called. A title in Latin letters is a word of its own. */
function withoutTitle(name: string): string {
  return /\p{Script=Latin}/u.test(name) ? name : (wholeNameKeys(name)[0] ?? name);
}
