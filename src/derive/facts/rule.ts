/**
 * What rules make of a sentence: the people and animals it names as the speaker's, and one statement a clause.
 *
 *     My daughter Lucy has celiac, and I love baking
 *     └ person ──────┘           │     └ statement of the speaker
 *     └ statement of Lucy ───────┘
 */
import type { Language } from '../../text/text.ts';
import type { PredicateName } from './predicates.ts';

/** Something a sentence says of its speaker, or of somebody or something of the speaker's. */
export interface Saying {
  readonly language: Language;
  /** In the words of the sentence: `younger sister`, 妹, 姐姐. Null: the speaker, or whoever is `named`. */
  readonly whose: string | null;
  /** The name of whom it is about, where the sentence has one. */
  readonly named: string | null;
  readonly predicate: PredicateName;
  /** Of `favourite`: favourite what. */
  readonly of: string | undefined;
  readonly object: string;
  /** Whether it holds no more. An empty object: whatever was known of the predicate. */
  readonly ends: boolean;
  /** Whether a time in the sentence says since when. */
  readonly begins: boolean;
  readonly confidence: number;
  /** The part of the sentence that says it, and the part before it. */
  readonly clause: string;
  readonly before: string;
}

export interface Rule {
  readonly predicate: PredicateName;
  /**
   * Groups: `object`, and where there are such `whose` and `name` (somebody of the speaker's), `of`.
   */
  readonly pattern: RegExp;
  /** What the object must not be. */
  readonly except?: RegExp;
  /** What the object must be; default: anything. */
  readonly only?: RegExp;
  /** The object where it is not in the words (`married`); `$` stands for the words (`teacher of $`). */
  readonly object?: string;
  readonly ends?: true;
  readonly begins?: true;
  /** Whether later rules may read the same clause too: who works where as what. */
  readonly isOneOfSeveral?: true;
  /** Default: SURE. */
  readonly confidence?: number;
}

/** Somebody or some animal that a sentence names as the speaker's. */
export interface Person {
  /** As said: `younger sister`. */
  readonly relation: string;
  readonly name: string | null;
  readonly predicate: 'family' | 'pet' | 'knows';
  /** Both together, in the language: `sister Naomi`, 妹の由香, 妹妹小红. */
  readonly written: string;
}

/** Of a sentence that says just this. Rules never reach 0.6: they see words, not what is meant. */
const SURE = 0.55;
/** Of a sentence that may mean something narrower: one likes what is before one. */
export const LIKELY = 0.45;

export interface Reader {
  readonly language: Language;
  /** The sentence in the form that rules read. */
  readonly plain: (sentence: string) => string;
  /** The parts of a plain sentence. */
  readonly clauses: (plain: string) => string[];
  readonly rules: readonly Rule[];
  readonly people: (plain: string) => Person[];
  /** The object without what does not belong to it, or null when it is none. */
  readonly tidy: (object: string, predicate: PredicateName) => string | null;
  /**
   * A clause that begins with the name of one of the speaker's people (Kelsey hates peonies), in the form that rules
   * read of somebody of the speaker's; null where the name is not the subject.
   */
  readonly asOwn: (clause: string, name: string) => string | null;
  /**
   * Where sentences may lack a subject: whom these words are about, if not the speaker; empty where they do not say in
   * a word. What follows without a subject is then not told of the speaker.
   */
  readonly topicOf?: (text: string) => string | null;
  /** Whether somebody else's words are told: then nobody knows whom the sentence is about. */
  readonly isHearsay: (sentence: string) => boolean;
}

/** Longest object, UTF-16 units. */
const MAX_OBJECT_LENGTH = 60;

/**
 * What the rules find in a sentence that tells. A clause goes to the first rule that fits.
 * @param context what was said before it in the same turn, and the names of the speaker's people
 */
export function readStatements(
  sentence: string,
  reader: Reader,
  { before, names }: { readonly before: string; readonly names: readonly string[] },
): Saying[] {
  if (reader.isHearsay(sentence)) return [];
  const clauses = reader.clauses(reader.plain(sentence));
  return clauses.flatMap((clause, i) => {
    const named = names.find((name) => clause.startsWith(name)) ?? null;
    const read = named === null ? clause : reader.asOwn(clause, named);
    if (read === null) return [];
    const earlier = [before, ...clauses.slice(0, i)].join('\n');
    const context = { before: clauses[i - 1] ?? '', earlier, named, names };
    const sayings: Saying[] = [];
    for (const rule of reader.rules) {
      const saying = applyRule(rule, read, reader, context);
      if (saying) sayings.push(saying);
      if (saying && !rule.isOneOfSeveral) break;
    }
    return sayings;
  });
}

/** The speaker's people and animals in a sentence, which may ask as well. */
export function readPeople(sentence: string, reader: Reader): Saying[] {
  return reader.people(reader.plain(sentence)).map(({ predicate, written }) => ({
    language: reader.language,
    whose: null,
    named: null,
    predicate,
    of: undefined,
    object: written,
    ends: false,
    begins: false,
    confidence: SURE,
    clause: sentence,
    before: '',
  }));
}

interface ClauseContext {
  /** The clause before. */
  readonly before: string;
  /** Everything before, in the turn. */
  readonly earlier: string;
  /** The name that the clause began with. */
  readonly named: string | null;
  readonly names: readonly string[];
}

/** The speaker, said where it could be left out. */
const FIRST_PERSON = /^(?:我|私|わたし|わたくし|あたし|僕|ぼく|ボク|俺|おれ|オレ|自分|うち)/u;

/** What may be told of somebody a sentence later: 父の物忘れがひどくて。認知症と診断されました. */
const STATES: ReadonlySet<PredicateName> = new Set(['age', 'health']);

function applyRule(
  rule: Rule,
  clause: string,
  reader: Reader,
  { before, earlier, named, names }: ClauseContext,
): Saying | null {
  const match = rule.pattern.exec(clause);
  if (!match) return null;
  const { object: words, whose, name, of } = match.groups ?? {};
  const object = objectOf(rule, words, reader);
  if (object === null || object.length > MAX_OBJECT_LENGTH) return null;
  if (object === '' && !rule.ends) return null;
  const isUnnamed = (whose ?? named ?? null) === null && !FIRST_PERSON.test(clause);
  const topic = isUnnamed ? (reader.topicOf?.(earlier) ?? null) : null;
  if (topic !== null && (topic === '' || !STATES.has(rule.predicate))) return null;
  const isName = topic !== null && names.includes(topic);
  return {
    language: reader.language,
    whose: whose?.trim() ?? (isName ? null : topic),
    named: named ?? name ?? (isName ? topic : null),
    predicate: rule.predicate,
    of: of?.trim(),
    object,
    ends: rule.ends ?? false,
    begins: rule.begins ?? false,
    confidence: rule.confidence ?? SURE,
    clause,
    before,
  };
}

function objectOf(rule: Rule, words: string | undefined, reader: Reader): string | null {
  const said = words === undefined ? '' : reader.tidy(words, rule.predicate);
  if (said === null || rule.except?.test(said) || (rule.only && !rule.only.test(said))) return null;
  return rule.object?.replace('$', said) ?? said;
}
