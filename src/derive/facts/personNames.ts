/** How facts write people and animals of the speaker: `sister Naomi`, 妹の由香, 妹妹小红. */
import { kinPattern, predicateKey, type PredicateName } from '../../text/text.ts';

const PEOPLE: ReadonlySet<string> = new Set(['family', 'pet', 'knows'] satisfies PredicateName[]);
const NAMED_PERSON = new RegExp(
  `^(?:(?:[\\p{Ll}' -]+ )?(?<en>\\p{Lu}[\\p{L}'-]*)|[^の]+の(?<ja>[^の]{1,10})|(?:${kinPattern('zh')}|先生|大学室友)(?<zh>.{2,3}))$`,
  'u',
);

/** The names in the object of such a fact, the longest first; empty for other facts. */
export function personNames(predicate: string, object: string): string[] {
  if (!PEOPLE.has(predicateKey(predicate))) return [];
  const { en, ja, zh } = NAMED_PERSON.exec(object)?.groups ?? {};
  const name = en ?? ja ?? zh;
  return name === undefined
    ? []
    : [name, ...(ja === undefined ? [] : [ja.replace(/(?:さん|ちゃん|くん)$/u, '')])];
}
