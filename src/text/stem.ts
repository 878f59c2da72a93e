/** Reduces an English word to the form it shares with its inflections. */

import { stemmer } from 'stemmer';

/** Past and plural forms that no suffix rule handles; each line has a base and its irregular forms. */
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

/**
 * The stem of a lower-case English word of ASCII letters: an irregular form is replaced by its base (went → go,
 * children → child), then Porter's algorithm is applied. Words under three letters, and words with other characters,
 * are returned unchanged.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  return stemmer(BASE_OF.get(word) ?? word);
}
