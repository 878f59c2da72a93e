/**
 * Names in English, by capitals inside sentences, and by context.
 *
 *     Yesterday my sister Anna flew to Paris.
 *     └ begins  └ kin     └ person     └ place
 */
import type { Entity } from '../../model/model.ts';
import { famous, likely, perhaps, sure, withoutOverlaps, type NameCandidate } from './candidates.ts';
import { isOpener, isNoName } from './englishWords.ts';
import { wellKnown } from './gazetteer.ts';
import { kinPattern, relationOf, typeOfKin } from './kinship.ts';
import { isGivenName } from './knownNames.ts';

const NAME = String.raw`\p{Lu}[\p{L}\p{M}]*(?:['’-]\p{L}[\p{L}\p{M}]*)*`;
/** A capitalised run; small words (of, de, van) are included only between two capitalised words. */
const RUN = new RegExp(
  `(?<![\\p{L}\\p{N}_-])${NAME}(?:(?: (?:of(?: the)?|de|del|da|van|von|&))? ${NAME}| \\p{Lu}\\.(?= \\p{Lu}))*`,
  'gu',
);
const TITLES = 'Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Aunt|Auntie|Uncle|Coach|Captain|Officer|Grandma|Grandpa';
const TITLE = new RegExp(`\\b(?:${TITLES})\\.? $`);
const TITLED = new RegExp(`^(?:${TITLES}) (?<rest>.+)$`);
const KIN_BEFORE = new RegExp(
  String.raw`\b(?<whose>[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Yy]our|[Tt]he|[Aa])(?: [a-z-]+){0,2} (?<kin>${kinPattern('en')})(?:,| named| called|'s name is|’s name is| is called)? $`,
);
const MEETING =
  /\b(?:(?:dinner|lunch|breakfast|coffee|drinks|out|talk(?:ed|ing)?|spoke|chat(?:ted|ting)?|hang|hung|date|meeting|walk|lives?|living|together|up|bonding) with|told|asked|met|meet|texted|miss|married|marry|hug|hugged|dating|invited)(?: and)? $/i;
const GOING =
  /\b(?:in|visit|visited|visiting|moved to|move to|moving to|trip to|went to|go to|going to|flew to|fly to|travel to|traveled to|travelled to|live in|lived in|(?:am|are|is|was|were|['’]m|['’]re|come|comes|came|back|flew|moved) from|near|around|across|leave for|back to|born in|drive to|drove to|been to|tour of|streets of) $/i;
const WORKING =
  /\b(?:work|works|worked|working|job|interview|intern|interned|offer|position|career) (?:at|for|from) $/i;
const SPEAKING =
  /^(?:['’]s (?:birthday|mom|dad|house|place|wedding|party|friend|husband|wife|sister|brother|kids?|dog|cat)| (?:said|says|told|asked|thinks|thought|called|texted|invited|and I|was born|got married|got engaged|passed away|loves|wants|lives|came over|moved)\b)/;
const ORGANIZATION =
  /(?:^| )(?:Inc|Corp|Corporation|Ltd|LLC|University|College|School|Academy|Institute|Company|Foundation|Bank|Hospital|Church|Club|Association|Committee|Agency|Studios?|Records|Airlines|Labs?|Group|Council|Ministry|Department)$/;
const ORGANIZATION_FIRST =
  /^(?:University|Bank|Church|Institute|Academy|School|College|Ministry|Department) of /;
const PLACE =
  /(?:^| )(?:City|Street|Avenue|Road|Park|Beach|Lake|River|Mountains?|Island|Islands|Bay|Valley|Station|Airport|Museum|Gallery|Garden|Gardens|Square|Bridge|Castle|Temple|Canyon|Falls|Forest|Coast|County|Town|Village|Hotel|Cafe|Café|Restaurant|Theatre|Theater|Stadium|Plaza|Mall)$/;
const PLACE_FIRST = /^(?:Lake|Mount|Mt|Fort|Cape|Port|Saint|San|Santa|Los|Las) \p{Lu}/u;
const EVENT =
  /(?:^| )(?:Festival|Conference|Marathon|Fair|Cup|Games|Olympics|Day|Week|Parade|Concert|Expo|Championship|Tournament|Gala)$/;
const VOCATIVE_AFTER = /^(?:[!?.,~]|$|\s*[\p{Extended_Pictographic}])/u;
const SELF = /\b(?:my name is|my name['’]s|call me|i go by) $/i;

/** @param text without markup */
export function englishCandidates(text: string): NameCandidate[] {
  if (!isEnglish(text)) return [];
  const titleLines = titleLinesOf(text);
  const found = [...text.matchAll(RUN)].flatMap((match) => {
    const lineStart = text.lastIndexOf('\n', match.index) + 1;
    return titleLines.has(lineStart) ? [] : candidatesOfRun(text, match.index, match[0]);
  });
  return withoutOverlaps([...quotedTitles(text), ...found]);
}

const FUNCTION_WORD =
  /^(?:the|a|an|and|to|of|is|in|i|you|it|for|that|was|my|with|on|we|have|this|at|be|me|so|but|do|he|she|they|are|not|your)$/i;

/** Other languages in Latin script use capitals differently. */
function isEnglish(text: string): boolean {
  const words = text.slice(0, 2_000).match(/\p{L}+/gu) ?? [];
  const known = words.filter((word) => FUNCTION_WORD.test(word)).length;
  return words.length < 12 || known >= 0.08 * words.length;
}

/** The starts of lines that are titles or shouts: nearly every word is capitalised, so capitals mean nothing. */
function titleLinesOf(text: string): Set<number> {
  const starts = new Set<number>();
  for (const match of text.matchAll(/^.+$/gmu)) {
    const words = (match[0].match(/\p{L}+/gu) ?? []).filter((word) => !SMALL_WORD.test(word));
    const capitals = words.filter((word) => /^\p{Lu}/u.test(word)).length;
    if (words.length >= 4 && capitals >= 0.8 * words.length) starts.add(match.index);
  }
  return starts;
}

const SMALL_WORD = /^(?:of|the|and|a|an|in|to|for|on|with|at|by|or|s)$/;

/** “Becoming Someone”: a title in quotation marks. */
function quotedTitles(text: string): NameCandidate[] {
  const pattern =
    /(?<=["“])\p{Lu}[\p{L}\p{N}'’]*(?:[ :-]+(?:\p{Lu}[\p{L}\p{N}'’]*|of|the|and|a|an|in|to|for|with|on)){1,7}(?=["”])/gu;
  return [...text.matchAll(pattern)]
    .filter(([title]) => /\p{Ll}/u.test(title))
    .map((match) => likely({ at: match.index, surface: match[0], type: 'thing' }));
}

interface Run {
  readonly at: number;
  readonly name: string;
  /** Whether the capital may be due to the beginning of a sentence. */
  readonly begins: boolean;
  /** Whether a form of address precedes it: Hey Anna. */
  readonly isAddressed: boolean;
}

const GREETING =
  /^(?:hey|hi|hello|thanks|thank|congrats|congratulations|wow|dear|bye|goodbye|yeah|yes|no|ok|okay|sure|sorry)$/;

function candidatesOfRun(text: string, at: number, run: string): NameCandidate[] {
  return partsOf(text, at, run).flatMap((part) => {
    const candidate = judge(text, part);
    return candidate ? [candidate] : [];
  });
}

/** A run without words that begin a sentence, split at capitalised words that are not names. */
function partsOf(text: string, runAt: number, run: string): Run[] {
  const parts: Run[] = [];
  if (wellKnown(run)) return [{ at: runAt, name: run, begins: false, isAddressed: false }];
  let begins =
    BEGINS.test(text.slice(Math.max(0, runAt - 4), runAt)) &&
    !TITLE.test(text.slice(Math.max(0, runAt - 12), runAt));
  let isAddressed = false;
  let words: { word: string; at: number }[] = [];
  const flush = () => {
    const small = /^(?:of|the|de|del|da|van|von|&)$/;
    while (words.length > 0 && small.test(words.at(-1)?.word ?? '')) words.pop();
    while (words.length > 0 && small.test(words[0]?.word ?? '')) words.shift();
    const first = words[0];
    const last = words.at(-1);
    if (first && last) {
      const name = text.slice(first.at, last.at + last.word.length);
      parts.push({ at: first.at, name, begins, isAddressed });
      begins = false;
    }
    words = [];
  };
  for (const match of run.matchAll(/\S+/g)) {
    const word = match[0].replace(/['’](?:s|ll|ve|re|d|m|t)$/i, '').replace(/['’]$/, '');
    const lower = word.toLowerCase();
    const isFirst = words.length === 0;
    const isSkipped =
      isNoName(word) ||
      isNoName(word.replace(/-.*/, '')) ||
      (isFirst && (begins ? canBeginName(match[0], run) : ARTICLE.test(lower)));
    if (isSkipped) {
      flush();
      isAddressed = GREETING.test(lower);
      // What follows the first word of a sentence is not at its beginning, unless that word was a form of address.
      begins &&= isAddressed;
    } else words.push({ word, at: runAt + match.index });
  }
  flush();
  return parts;
}

const BEGINS = /(?:^|[.!?…:;"“”(\n\]—–*/]|^\s*[-•>]|(?:^|[\s(])['‘])\s*$/mu;
const ARTICLE =
  /^(?:the|a|an|my|your|our|his|her|their|this|that|and|but|or|so|if|when|hey|hi|hello|thanks|wow|yes|yeah|no|ok|okay|i)$/;

/** Whether a word at the beginning of a sentence can be a name. */
function canBeginName(word: string, run: string): boolean {
  if (isOpener(word.replace(/['’]s$/, '')) || isOpener(word)) return true;
  return (
    /n['’]t$|['’](?:m|ve|ll|re|d)$/i.test(word) ||
    (run.includes(' ') && /^\p{L}{3,}(?:ing|ed|ly)$/u.test(word))
  );
}

function judge(text: string, run: Run): NameCandidate | null {
  const { at, name, begins, isAddressed } = run;
  const before = text.slice(Math.max(0, at - 60), at);
  const after = text.slice(at + name.length, at + name.length + 40);
  const given = { at, surface: name };
  // Shouts, acronyms, single letters.
  if ((!/\p{Ll}/u.test(name) && !wellKnown(name)) || /^\p{Lu}{2,}s$/u.test(name)) return null;
  const rest = TITLED.exec(name)?.groups?.['rest'];
  if (rest !== undefined) return sure({ ...given, type: 'person', name: rest, aliases: [name] });
  const title = TITLE.exec(before)?.[0].trim();
  if (title !== undefined) return sure({ ...given, type: 'person', aliases: [`${title} ${name}`] });
  const kin = KIN_BEFORE.exec(before)?.groups;
  if (kin) return named(given, kin['whose'] ?? '', kin['kin'] ?? '');
  const known = wellKnown(name);
  if (known) return famous(at, name, known);
  const type = typeByForm(name) ?? typeByPlace(name, before, after, isAddressed);
  const isSingle = !name.includes(' ');
  if (isSingle && begins && type !== 'person') return perhaps({ ...given, type });
  if (type === null) return likely({ ...given, type: 'other', confidence: 0.4 });
  return likely({ ...given, type, ...(isGivenName(firstWord(name)) && { confidence: 0.55 }) });
}

function named(given: { at: number; surface: string }, whose: string, kin: string): NameCandidate {
  const relation = relationOf(kin);
  const isSpeakers = /^(?:my|our)$/i.test(whose);
  return sure({ ...given, type: typeOfKin(relation), relation: isSpeakers ? relation : null });
}

function typeByForm(name: string): Entity['type'] | null {
  if (ORGANIZATION_FIRST.test(name)) return 'organization';
  if (ORGANIZATION.test(name)) return name.includes(' ') ? 'organization' : null;
  if (EVENT.test(name)) return name.includes(' ') ? 'event' : null;
  if (PLACE_FIRST.test(name) || (PLACE.test(name) && name.includes(' '))) return 'place';
  return isGivenName(firstWord(name)) ? 'person' : null;
}

function typeByPlace(
  name: string,
  before: string,
  after: string,
  isAddressed: boolean,
): Entity['type'] | null {
  if (WORKING.test(before)) return 'organization';
  if (SPEAKING.test(after) || SELF.test(before)) return 'person';
  const isCalled = isAddressed || /(?:^|[.!?\n]\s*)[^.!?\n,]{0,24}, $/u.test(before);
  if (isCalled && VOCATIVE_AFTER.test(after) && !name.includes(' ')) return 'person';
  if (MEETING.test(before)) return 'person';
  return GOING.test(before) ? 'place' : null;
}

function firstWord(text: string): string {
  return /^\S+/.exec(text)?.[0] ?? '';
}

const SELF_NAME =
  /\b(?:[Mm]y name is|[Mm]y name['’]s|(?:can|just|please|people|everyone|friends) call me|I go by) (?<name>\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?)/u;

/** The name that the speaker gives for themselves. */
export function englishSelfName(text: string): string | null {
  return SELF_NAME.exec(text)?.groups?.['name'] ?? null;
}
