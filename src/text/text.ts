/** How text is read, in Japanese, Chinese and English. */
export { findSensitive, maskFound, maskStatement, placesOf } from './sensitive/sensitive.ts';
export { displayWidth, padEnd, wrapText } from './display.ts';
export {
  ANALYSIS_VERSION,
  asks,
  documentTerms,
  documentTimes,
  visitPassageTerms,
  MAX_SPAN_MS,
  type DocumentTerms,
  type Span,
} from './document.ts';
export { detectLanguage, type Language } from './language.ts';
export { diceWith, lexicalSimilarityWith, type Comparison } from './similarity.ts';
export {
  CHINESE_SURNAMES,
  isGivenName,
  isJapaneseSurname,
  kinPattern,
  looksLikeJapaneseGivenName,
  nameCandidates,
  relationOf,
  selfNameIn,
  SUREST_BY_RULES,
  wellKnown,
  type NameCandidate,
} from './entityNames/entityNames.ts';
export { foldName, NAME_KEYS_VERSION, nameKeys, sameName, wholeNameKeys } from './names.ts';
export { oneLine, shortLine } from './oneLine.ts';
export { splitPassages, type PassageRange } from './passages.ts';
export {
  PREDICATE_NAMES,
  predicateKey,
  predicateNameOf,
  predicateWording,
  type PredicateName,
} from './predicates.ts';
export { splitSentences } from './sentences.ts';
export { wordsSharedWith } from './sharedWords.ts';
export { nameOtherNumbers, sketchLikeness, sketchOf, type Sketch } from './sketch.ts';
export { snippet, type SnippetOptions } from './snippet.ts';
export { terms, visitTerms, type TermVisitor } from './terms.ts';
export { countTokens, truncateToTokens } from './tokens.ts';
export {
  findTimes,
  type Grain,
  type Interval,
  type TimeMention,
  type TimeOptions,
  type TimeType,
} from './dates/dates.ts';
export { findReferences, type Reference } from './references.ts';
