/** Filters what must not be learnt: quoted memory, text that was not said, questions, and hypothetical statements. */
import { detectLanguage, type Language } from '../text/text.ts';

/** `[EPISODE_EVIDENCE]`: the heading of a section of a pack. */
const HEADING =
  /^\s*[[［](?:PERSONA_ANCHOR|RELATIONSHIP_CONTRACT|CONTEXT_CAPSULE|STABLE_FACTS|SHARED_NARRATIVE|OPEN_LOOPS|EPISODE_EVIDENCE)[\]］]/;
/** Lines that only occur in a pack: an exchange's date and title, why it is related, a fact in columns. */
const PACK_LINE =
  /^\s*(?:[[［]\d{4}-\d{2}-\d{2}[\]］]\s*[“「"]|→\s*(?:Related|関連|关联)[:：]|-\s*[^｜\n]+｜[^｜\n]+｜)/;
/** Lines that may continue a pack after a blank line: an entry, or a quoted turn. */
const CONTINUATION = /^\s*(?:-\s|[^:：]{1,40}[:：]\s*[“「"])/;

/** The text without copied parts of a pack. */
export function withoutPackText(text: string): string {
  if (!/[[［→｜]/.test(text)) return text;
  const kept: string[] = [];
  /** `section`: in a section; `gap`: after a blank line, where another entry may follow. */
  let place: 'outside' | 'section' | 'gap' = 'outside';
  for (const line of text.split('\n')) {
    const isBlank = line.trim() === '';
    if (HEADING.test(line)) place = 'section';
    else if (place === 'section' && isBlank) place = 'gap';
    else if (place === 'gap' && !isBlank && !PACK_LINE.test(line) && !CONTINUATION.test(line))
      place = 'outside';
    if (place === 'outside' && !PACK_LINE.test(line)) kept.push(line);
  }
  return kept.join('\n').trim();
}

/** Whether the speaker is the companion, whose turns are not evidence about others. */
export function isCompanion(speaker: string): boolean {
  return speaker === 'ai';
}

const QUESTION: Readonly<Record<Language, RegExp>> = {
  en: /[?？]|^(?:do|does|did|is|are|was|were|have|has|can|could|would|will|should|what|where|when|why|who|whose|which|how)\b(?! (?:i (?:love|like|live|hate)|about)\b)[^,]*$/i,
  ja: /[?？]|(?:です|ます|でしょう|ました|ません)か[。！!…\s]*$|(?:かな|かしら|だっけ|たっけ|でしたっけ|どう思う|のか)[ぁなー〜~。！!…\s]*$/,
  zh: /[?？]|(?:吗|呢|么)[。！!…~～\s]*$|(?:是不是|有没有|要不要|会不会|能不能|好不好|行不行)/,
};

/** Whether a sentence is a question. */
export function isQuestion(sentence: string, language: Language = detectLanguage(sentence)): boolean {
  return QUESTION[language].test(sentence);
}

const HYPOTHETICAL: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:if|unless|wish|imagine|suppose|supposing|pretend|assuming|whether|maybe|perhaps|probably|might|could|would|i'd|we'd|he'd|she'd|they'd|as if|as though|let's say|in case|hypothetically|kidding|joking|dreamed|dreamt|used to think)\b/i,
  ja: /もし|仮に|たとえば|例えば|(?:だっ|かっ|し|れ|っ)?たら(?!しい)|(?:なら|れば|けば|せば|てば|ねば(?!なら)|めば|げば)(?:[、\s]|$|[^ない])|かも(?:しれ|$|[。、！!ね])|だろう|でしょう|みたい(?:な|に)?(?:[。、ねだで]|$)|らしい|そうだ(?:って|よ)|ふり|冗談|夢の中|つもりになって|としたら|としても|気がする/,
  zh: /如果|要是|假如|假设|假装|万一|倘若|可能|也许|或许|大概|说不定|好像|似乎|的话|就好了|开玩笑|梦见|梦到|比如/,
};

/** Whether a sentence is hypothetical. */
export function isHypothetical(sentence: string, language: Language = detectLanguage(sentence)): boolean {
  return HYPOTHETICAL[language].test(sentence);
}

const MIN_QUOTED = 2;

/** Whether a quotation occurs in the text; ignores case, width, spaces and punctuation. */
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

/** Whether a learnt text can be stored: not empty, not too long, and not copied from a pack. */
export function isWorthKeeping(words: string, maxChars: number): boolean {
  return (
    words.length <= maxChars && /[\p{L}\p{N}]/u.test(words) && !/\[[A-Z]+_[A-Z_]+\]|｜|\{\{|\}\}/.test(words)
  );
}
