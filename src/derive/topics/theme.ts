/**
 * Recognises a theme that returns in another conversation. It uses words instead of vectors: the rest of a
 * conversation differs, and dominates a mean of vectors. (On a LoCoMo memory the two talks about pottery, and those
 * about adoption, are no more similar than any two.)
 */
import type { Store } from '../../store/store.ts';
import { terms } from '../../text/text.ts';
import type { TopicQuery } from './similarTopics.ts';
import { isTelling } from './talk.ts';
import { describe, themeOf } from './words/words.ts';

/** The most topics with the words of the theme that are examined. */
const MAX_CANDIDATES = 8;
/** The least number of turns that mention it: a single mention is rarely a theme. */
const MIN_TURNS = 2;
/** The topic whose title begins with the most frequent word of this talk; null: none. */
export async function findTopicOfTheme(
  store: Store,
  { moments, exceptId }: TopicQuery,
): Promise<number | null> {
  const telling = moments.filter(isTelling);
  if (telling.length < MIN_TURNS) return null;
  const theme = themeOf((await describe(store, telling)).title);
  const words = theme.split(' ');
  const says = (text: string) => {
    const said = new Set(terms(text));
    return words.every((word) => said.has(word));
  };
  if (theme === '' || telling.filter(({ text }) => says(text)).length < MIN_TURNS) return null;
  const found = await store.topics.search(words, MAX_CANDIDATES);
  const topics = await store.topics.get(found.map(({ topicId }) => topicId));
  const same = topics
    .filter(({ id, title, state }) => id !== exceptId && state === 'active' && isSame(themeOf(title), theme))
    .sort((a, b) => b.members - a.members || a.id - b.id);
  return same[0]?.id ?? null;
}

/** “Pottery” and “Pottery workshop”. */
function isSame(one: string, other: string): boolean {
  return `${one} `.startsWith(`${other} `) || `${other} `.startsWith(`${one} `);
}
