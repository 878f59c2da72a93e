/** Finds the words of a text that may be names of people, places, organizations, animals, things and events, by rules. */
import type { Language } from '../language.ts';
import { withoutMarkup, type NameCandidate } from './candidates.ts';
import { chineseCandidates, chineseSelfName } from './chinese.ts';
import { englishCandidates, englishSelfName } from './english.ts';
import { japaneseCandidates, japaneseSelfName } from './japanese.ts';

export { SUREST_BY_RULES, type NameCandidate } from './candidates.ts';
export { wellKnown } from './gazetteer.ts';
export { kinPattern, relationOf } from './kinship.ts';
export {
  CHINESE_SURNAMES,
  isGivenName,
  isJapaneseSurname,
  looksLikeJapaneseGivenName,
} from './knownNames.ts';

const READERS = {
  en: { candidates: englishCandidates, selfName: englishSelfName },
  ja: { candidates: japaneseCandidates, selfName: japaneseSelfName },
  zh: { candidates: chineseCandidates, selfName: chineseSelfName },
};

/** The candidates for names in a text, without its markup, in their order. */
export function nameCandidates(text: string, language: Language): NameCandidate[] {
  return READERS[language].candidates(withoutMarkup(text).toWellFormed());
}

/** The name that the speaker of a text gives for themselves; null for none. */
export function selfNameIn(text: string, language: Language): string | null {
  return READERS[language].selfName(text);
}
