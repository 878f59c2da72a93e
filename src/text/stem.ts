/** Reduces an English word to the form it shares with its inflections. */

/** Past and plural forms that no suffix rule reaches, each line a base and what folds into it. */
const IRREGULAR = `
arise arose arisen|awake awoke awoken|beat beaten|become became|begin began begun|bend bent|bite bit bitten|bleed bled
blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen
cling clung|come came|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven
eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden
forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown
hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lead led|lean leant|leap leapt|learn learnt
leave left|lend lent|light lit|lose lost|make made|mean meant|meet met|mistake mistook mistaken|overcome overcame|pay paid
ride rode ridden|ring rang rung|rise risen|run ran|say said|see saw seen|seek sought|sell sold|send sent|sew sewn|shake shook shaken
shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|smell smelt
speak spoke spoken|speed sped|spell spelt|spend spent|spin spun|spoil spoilt|spring sprang sprung|stand stood|steal stole stolen
stick stuck|sting stung|stink stank stunk|strike struck stricken|strive strove striven|swear swore sworn|sweep swept|swell swollen
swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown
understand understood|wake woke woken|wear wore worn|weave wove woven|weep wept|win won|withdraw withdrew withdrawn|write wrote written
child children|man men|woman women|person people|foot feet|tooth teeth|goose geese|mouse mice|wife wives|knife knives
shelf shelves|half halves|wolf wolves|loaf loaves|thief thieves`;

const BASE_OF = new Map(
  IRREGULAR.trim()
    .split(/[|\n]/)
    .flatMap((entry) => {
      const [base = '', ...forms] = entry.split(' ');
      return forms.map((form): [string, string] => [form, base]);
    }),
);

/** Step 2: what is left of a derivational suffix, longest first where one ends another. */
const STEP_2 = suffixes(
  'ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ation:ate ator:ate ' +
    'alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log',
);
const STEP_3 = suffixes('icate:ic ative: alize:al iciti:ic ical:ic ful: ness:');
const STEP_4 = suffixes(
  'al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ou: ism: ate: iti: ous: ive: ize: sion:s tion:t',
);

/**
 * The stem of a lower-case English word of ASCII letters: irregular forms are folded into their base (went → go, children → child),
 * then Porter's algorithm is applied ("An algorithm for suffix stripping", 1980, with the author's later -bli and -logi).
 * Words under three letters, and words with anything but a–z, come back as they are.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let w = BASE_OF.get(word) ?? word;
  if (w.length < 3) return w;
  w = withoutPlural(w);
  w = withoutPastOrGerund(w);
  if (w.endsWith('y') && hasVowel(w.slice(0, -1))) w = `${w.slice(0, -1)}i`;
  w = replaceSuffix(w, STEP_2, 0);
  w = replaceSuffix(w, STEP_3, 0);
  w = replaceSuffix(w, STEP_4, 1);
  return withoutFinalE(w);
}

function suffixes(table: string): [string, string][] {
  return table
    .split(' ')
    .map((entry): [string, string] => {
      const [suffix = '', replacement = ''] = entry.split(':');
      return [suffix, replacement];
    })
    .sort(([a], [b]) => b.length - a.length);
}

/** Steps 2 to 4: only the longest matching suffix is tried, and only behind a stem of more than `least` syllables. */
function replaceSuffix(word: string, table: readonly [string, string][], least: number): string {
  for (const [suffix, replacement] of table) {
    if (!word.endsWith(suffix)) continue;
    const rest = word.slice(0, -suffix.length);
    return syllables(rest + replacement.slice(0, least)) > least ? rest + replacement : word;
  }
  return word;
}

/** Step 1a. */
function withoutPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') && word.length > 2 ? word.slice(0, -1) : word;
}

/** Step 1b. */
function withoutPastOrGerund(word: string): string {
  if (word.endsWith('eed')) return syllables(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = word.endsWith('ed') ? 'ed' : word.endsWith('ing') ? 'ing' : '';
  const rest = word.slice(0, word.length - suffix.length);
  if (suffix === '' || !hasVowel(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/([^aeiouylsz])\1$/.test(rest)) return rest.slice(0, -1);
  return syllables(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

/** Step 5. */
function withoutFinalE(word: string): string {
  const rest = word.endsWith('e') ? word.slice(0, -1) : word;
  const count = syllables(rest);
  const shorter = count > 1 || (count === 1 && !endsShort(rest)) ? rest : word;
  return shorter.endsWith('ll') && syllables(shorter) > 1 ? shorter.slice(0, -1) : shorter;
}

/** Whether a letter counts as a vowel where it stands: y does after a consonant. */
function isVowel(word: string, at: number): boolean {
  const letter = word[at] ?? '';
  return 'aeiou'.includes(letter) || (letter === 'y' && at > 0 && !isVowel(word, at - 1));
}

function hasVowel(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (isVowel(word, at)) return true;
  return false;
}

/** Porter's measure m: how often a vowel is followed by a consonant. */
function syllables(word: string): number {
  let count = 0;
  let afterVowel = false;
  for (let at = 0; at < word.length; at++) {
    const vowel = isVowel(word, at);
    if (afterVowel && !vowel) count++;
    afterVowel = vowel;
  }
  return count;
}

/** Porter's *o: consonant, vowel, consonant other than w, x and y. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last < 2 || isVowel(word, last) || !isVowel(word, last - 1) || isVowel(word, last - 2)) return false;
  return !'wxy'.includes(word[last] ?? '');
}
