/** What must not be learnt: the memory's own words come back, what nobody said, questions, and what is only imagined. */
import { detectLanguage, type Language } from '../text/text.ts';

/** `[EPISODE_EVIDENCE]`: how a section of a pack begins. */
const HEADING =
  /^\s*[[［](?:PERSONA_ANCHOR|RELATIONSHIP_CONTRACT|CONTEXT_CAPSULE|STABLE_FACTS|SHARED_NARRATIVE|OPEN_LOOPS|EPISODE_EVIDENCE)[\]］]/;
/** Lines that only a pack has: an exchange's date and title, why it is related, a fact in columns. */
const PACK_LINE =
  /^\s*(?:[[［]\d{4}-\d{2}-\d{2}[\]］]\s*[“「"]|→\s*(?:Related|関連|关联)[:：]|-\s*[^｜\n]+｜[^｜\n]+｜)/;
/** Lines that may go on after a blank one inside a pack: an entry, or who said what. */
const GOES_ON = /^\s*(?:-\s|[^:：]{1,40}[:：]\s*[“「"])/;

/** The text without what is a pack's: nobody said that just now. */
export function withoutEcho(text: string): string {
  if (!/[[［→｜]/.test(text)) return text;
  const kept: string[] = [];
  /** `section`: the lines of a section; `gap`: after it, where an entry may follow. */
  let place: 'outside' | 'section' | 'gap' = 'outside';
  for (const line of text.split('\n')) {
    const isBlank = line.trim() === '';
    if (HEADING.test(line)) place = 'section';
    else if (place === 'section' && isBlank) place = 'gap';
    else if (place === 'gap' && !isBlank && !PACK_LINE.test(line) && !GOES_ON.test(line)) place = 'outside';
    if (place === 'outside' && !PACK_LINE.test(line)) kept.push(line);
  }
  return kept.join('\n').trim();
}

/** Whether the companion itself spoke: what it says is no evidence of anybody else. */
export function isCompanion(speaker: string): boolean {
  return speaker === 'ai';
}

const QUESTION: Readonly<Record<Language, RegExp>> = {
  en: /[?？]|^(?:do|does|did|is|are|was|were|have|has|can|could|would|will|should|what|where|when|why|who|whose|which|how)\b(?! (?:i (?:love|like|live|hate)|about)\b)[^,]*$/i,
  ja: /[?？]|(?:です|ます|でしょう|ました|ません)か[。！!…\s]*$|(?:かな|かしら|だっけ|たっけ|でしたっけ|どう思う|のか)[ぁなー〜~。！!…\s]*$/,
  zh: /[?？]|(?:吗|呢|么)[。！!…~～\s]*$|(?:是不是|有没有|要不要|会不会|能不能|好不好|行不行)/,
};

/** Whether a sentence asks rather than tells. */
export function isQuestion(sentence: string, language: Language = detectLanguage(sentence)): boolean {
  return QUESTION[language].test(sentence);
}

const HYPOTHETICAL: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:if|unless|wish|imagine|suppose|supposing|pretend|assuming|whether|maybe|perhaps|probably|might|could|would|i'd|we'd|he'd|she'd|they'd|as if|as though|let's say|in case|hypothetically|kidding|joking|dreamed|dreamt|used to think)\b/i,
  ja: /もし|仮に|たとえば|例えば|(?:だっ|かっ|し|れ|っ)?たら(?!しい)|(?:なら|れば|けば|せば|てば|ねば(?!なら)|めば|げば)(?:[、\s]|$|[^ない])|かも(?:しれ|$|[。、！!ね])|だろう|でしょう|みたい(?:な|に)?(?:[。、ねだで]|$)|らしい|そうだ(?:って|よ)|ふり|冗談|夢の中|つもりになって|としたら|としても|気がする/,
  zh: /如果|要是|假如|假设|假装|万一|倘若|可能|也许|或许|大概|说不定|好像|似乎|的话|就好了|开玩笑|梦见|梦到|比如/,
};

/** Whether a sentence tells what might be rather than what is. */
export function isHypothetical(sentence: string, language: Language = detectLanguage(sentence)): boolean {
  return HYPOTHETICAL[language].test(sentence);
}

const MIN_QUOTED = 2;

/** Whether the words that are to bear something out stand in the text; case, width, spaces and marks do not count. */
export function hasEvidence(quote: string, text: string): boolean {
  const wanted = bare(quote);
  return wanted.length >= MIN_QUOTED && bare(text).includes(wanted);
}

function bare(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '');
}

/** Whether words can be kept as something learnt: they say something, are not too long, and are not a pack's. */
export function isWorthKeeping(words: string, mostChars: number): boolean {
  return (
    words.length <= mostChars && /[\p{L}\p{N}]/u.test(words) && !/\[[A-Z]+_[A-Z_]+\]|｜|\{\{|\}\}/.test(words)
  );
}
