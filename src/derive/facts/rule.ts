/**
 * Applies rules to a sentence: finds the speaker's people and animals, and one statement per clause.
 *
 *     My daughter Lucy has celiac, and I love baking
 *     └ person ──────┘           │     └ statement of the speaker
 *     └ statement of Lucy ───────┘
 */
import type { Language } from '../../text/text.ts';
import { type PredicateName } from '../../text/text.ts';

/** A statement about the speaker, or about a person or thing of the speaker. */
export interface Statement {
  readonly language: Language;
  /** In the words of the sentence: `younger sister`, 妹, 姐姐. Null: the speaker, or the one `named`. */
  readonly whose: string | null;
  /** The name of the subject, if the sentence has one. */
  readonly named: string | null;
  readonly predicate: PredicateName;
  /** For `favourite`: favourite what. */
  readonly of: string | undefined;
  readonly object: string;
  /** Whether it is no longer true. With an empty object: any known object of the predicate. */
  readonly ends: boolean;
  /** Whether a time in the sentence is its start. */
  readonly begins: boolean;
  readonly confidence: number;
  /** The clause with the statement, and the text before it. */
  readonly clause: string;
  readonly before: string;
}

export interface Rule {
  readonly predicate: PredicateName;
  /** Groups: `object`, and optionally `whose` and `name` (a person of the speaker), `of`. */
  readonly pattern: RegExp;
  /** A pattern that excludes objects. */
  readonly except?: RegExp;
  /** A pattern that the object must match; default: anything. */
  readonly only?: RegExp;
  /** The object if it is not in the text (`married`); `$` is replaced by the text (`teacher of $`). */
  readonly object?: string;
  readonly ends?: true;
  readonly begins?: true;
  /** Whether later rules may also match the same clause: who works where as what. */
  readonly isOneOfSeveral?: true;
  /** A pattern that the text before it in the same turn must match, for statements without a subject. */
  readonly earlier?: RegExp;
  /** Default: SURE. */
  readonly confidence?: number;
}

/** A person or animal that a sentence names as the speaker's. */
export interface Person {
  /** As written: `younger sister`. */
  readonly relation: string;
  readonly name: string | null;
  readonly predicate: 'family' | 'pet' | 'knows';
  /** Relation and name in the language: `sister Naomi`, 妹の由香, 妹妹小红. */
  readonly written: string;
}

/** The predicate for a person or animal by a word for it. @param pets and friends: such words, separated by `|` */
export function predicateFor(
  word: string,
  { pets, friends }: { readonly pets: string; readonly friends: string },
): Person['predicate'] {
  const isOneOf = (words: string) => new RegExp(`^(?:${words})$`, 'u').test(word);
  return isOneOf(pets) ? 'pet' : isOneOf(friends) ? 'knows' : 'family';
}

/** For an unambiguous sentence. Rules never reach 0.6: they match words, not meaning. */
const SURE = 0.55;
/** For a sentence that may mean less, for example liking only one instance. */
export const LIKELY = 0.45;

export interface Reader {
  readonly language: Language;
  /** Normalises a sentence for the rules. */
  readonly plain: (sentence: string) => string;
  /** The clauses of a normalised sentence. */
  readonly clauses: (plain: string) => string[];
  readonly rules: readonly Rule[];
  readonly people: (plain: string) => Person[];
  /** Removes additions from an object; null when nothing usable is left. */
  readonly tidy: (object: string, predicate: PredicateName) => string | null;
  /**
   * Rewrites a clause that begins with the name of one of the speaker's people (Kelsey hates peonies) to the form
   * with a relation; null when the name is not the subject.
   */
  readonly asOwn: (clause: string, name: string) => string | null;
  /**
   * For languages with omitted subjects: whom the text is about, if not the speaker; empty when not in one word.
   * Following clauses without a subject are then not about the speaker.
   */
  readonly topicOf?: (text: string) => string | null;
  /** Whether it reports somebody else's words: the subject is then unknown. */
  readonly isHearsay: (sentence: string) => boolean;
}

/** Longest object, UTF-16 units. */
const MAX_OBJECT_LENGTH = 60;

/**
 * The statements in a declarative sentence. A clause is matched by the first rule that fits.
 * @param context the text before it in the same turn, and the names of the speaker's people
 */
export function readStatements(
  sentence: string,
  reader: Reader,
  { before, names }: { readonly before: string; readonly names: readonly string[] },
): Statement[] {
  if (reader.isHearsay(sentence)) return [];
  const clauses = reader.clauses(reader.plain(sentence));
  return clauses.flatMap((clause, i) => {
    const named = names.find((name) => clause.startsWith(name)) ?? null;
    const read = named === null ? clause : reader.asOwn(clause, named);
    if (read === null) return [];
    const earlier = [before, ...clauses.slice(0, i)].join('\n');
    const context = { before: clauses[i - 1] ?? '', earlier, named, names };
    const sayings: Statement[] = [];
    for (const rule of reader.rules) {
      const saying = applyRule(rule, read, reader, context);
      if (saying) sayings.push(saying);
      if (saying && !rule.isOneOfSeveral) break;
    }
    return sayings;
  });
}

/** The speaker's people and animals in a sentence, which may be a question. */
export function readPeople(sentence: string, reader: Reader): Statement[] {
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
  /** All text before it in the turn. */
  readonly earlier: string;
  /** The name with which the clause began. */
  readonly named: string | null;
  readonly names: readonly string[];
}

/** The first person, where it could be omitted. */
const FIRST_PERSON = /^(?:我|私|わたし|わたくし|あたし|僕|ぼく|ボク|俺|おれ|オレ|自分|うち)/u;

/** Predicates that may follow one sentence later: 父の物忘れがひどくて。認知症と診断されました. */
const STATES: ReadonlySet<PredicateName> = new Set(['age', 'health']);

function applyRule(
  rule: Rule,
  clause: string,
  reader: Reader,
  { before, earlier, named, names }: ClauseContext,
): Statement | null {
  const match = rule.pattern.exec(clause);
  if (!match || rule.earlier?.test(earlier.trim()) === false) return null;
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
  const tidied = words === undefined ? '' : reader.tidy(words, rule.predicate);
  if (tidied === null || rule.except?.test(tidied) || (rule.only && !rule.only.test(tidied))) return null;
  return rule.object?.replace('$', tidied) ?? tidied;
}
