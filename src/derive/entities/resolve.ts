/** Finds the known entity that a name refers to. */
import { wordCache, type Entity, type EntityMention, type Episode } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { foldName, nameKeys, sameName, wholeNameKeys, type NameCandidate } from '../../text/text.ts';

/** How many turns back recent mentions are searched. */
const TURNS_BACK = 30;
/** The shortest beginning of a name that may refer to it: Deb for Deborah. */
const MIN_NICKNAME_LENGTH = 3;

/** A name to be resolved. */
export type Named = Pick<NameCandidate, 'name' | 'aliases' | 'type' | 'mayBeNew'> & {
  /** Whether it is the speaker, who may have been addressed by a short name before. */
  readonly isSpeaker?: boolean;
};

/** The entity that a name refers to. */
export interface Resolution {
  /** Null: an unknown one. */
  readonly entity: Entity | null;
  /** Whether the name is added to the entity's names: not when it is only a part of one, which others may share. */
  readonly isName: boolean;
}

/**
 * The entity for each name; null for none. A name that fits several refers to the one last mentioned in this
 * conversation, or to none.
 */
export async function resolveNames(
  store: Store,
  names: readonly Named[],
  episode: Episode,
): Promise<(Resolution | null)[]> {
  const asked = new Set(names.flatMap(keysAsked));
  const known = asked.size === 0 ? new Map<string, Entity[]>() : await store.entities.find([...asked]);
  let spokenOf: Promise<Entity[]> | undefined;
  const recent = () => (spokenOf ??= lastMentioned(store, episode));
  const meant: (Resolution | null)[] = [];
  for (const named of names) meant.push(await resolve(named, known, recent));
  return meant;
}

/** For a possibly new entity also the parts of the name, since only a part may be known. */
function keysAsked({ name, aliases, mayBeNew }: Named): string[] {
  return [name, ...aliases].flatMap(mayBeNew ? keysOf : wholeKeysOf);
}

async function resolve(
  named: Named,
  known: ReadonlyMap<string, readonly Entity[]>,
  recent: () => Promise<readonly Entity[]>,
): Promise<Resolution | null> {
  const found = new Map<number, { entity: Entity; fit: Fit }>();
  for (const key of keysAsked(named)) {
    for (const entity of known.get(key) ?? []) {
      const fit = found.has(entity.id) ? null : fitOf(entity, named);
      if (fit) found.set(entity.id, { entity, fit });
    }
  }
  const fits = [...found.values()];
  const whole = fits.filter(({ fit }) => fit === 'whole');
  const [first] = fits;
  if (first && fits.length === 1 && (first.fit === 'whole' || (first.fit === 'part' && named.mayBeNew)))
    return resolutionOf(first, named);
  const last = fits.length === 0 ? undefined : (await recent()).find(({ id }) => found.has(id));
  const chosen = found.get(last?.id ?? 0) ?? (whole.length === 1 ? whole[0] : undefined);
  if (chosen) return resolutionOf(chosen, named);
  if (!named.mayBeNew || fits.some(({ fit }) => fit !== 'surname')) return null;
  return { entity: await nicknamed(named, recent), isName: true };
}

function resolutionOf({ entity, fit }: { entity: Entity; fit: Fit }, { name }: Named): Resolution {
  const own = [entity.name, ...entity.aliases];
  // If an entity is only known by a part of the name, the full name is added.
  const isLearnt = fit === 'part' && isFull(name) && !own.some(isFull);
  return { entity, isName: fit === 'whole' || isLearnt };
}

/** `surname`: a Chinese surname with a title, which thousands share. */
type Fit = 'whole' | 'part' | 'surname';

/** How well a name fits an entity: as a whole, in part (Sarah, of Sarah Connor), or not at all (null). */
function fitOf(entity: Entity, { name, aliases, type, mayBeNew }: Named): Fit | null {
  if (!typesAgree(entity.type, type)) return null;
  const own = [entity.name, ...entity.aliases];
  const given = [name, ...aliases];
  const pairs = own.flatMap((one) => given.map((other) => [one, other] as const));
  if (pairs.some(([one, other]) => foldName(one) === foldName(other))) return 'whole';
  if (rolesDiffer(own, given) || pairs.some(([one, other]) => contradict(one, other))) return null;
  if (pairs.some(([one, other]) => isSame(one, other))) return isBareSurname(name) ? 'surname' : 'whole';
  if (entity.type !== 'person' || (type !== 'person' && type !== 'other' && type !== null)) return null;
  // Two full names with different given names are different people.
  if (isFull(name) && own.some(isFull)) return null;
  if (own.some((one) => isPart(name, one))) return isBareSurname(name) ? 'surname' : 'part';
  // Only the full name of a person may extend a known partial name.
  if (type !== 'person' || !mayBeNew || !own.some((one) => isPart(one, name))) return null;
  return own.every(isBareSurname) ? 'surname' : 'part';
}

function typesAgree(known: Entity['type'], type: Entity['type'] | null): boolean {
  if (type === null || type === 'other' || known === 'other' || known === type) return true;
  const isSpot = (one: Entity['type']) => one === 'place' || one === 'organization';
  return isSpot(known) && isSpot(type);
}

/** Two names in Chinese characters must share a character: 石 and 史 only sound the same. */
function isSame(one: string, other: string): boolean {
  return sameName(one, other) && sharesWriting(one, other);
}

function sharesWriting(one: string, other: string): boolean {
  const hanOf = (name: string) => wholeKeysOf(name).filter((key) => HAN.test(key));
  const [first, second] = [hanOf(one), hanOf(other)];
  return first.length === 0 || second.length === 0 || first.some((key) => second.includes(key));
}

const HAN = /^\p{Script=Han}/u;

/** 张女士 and 张先生: the names agree, but the titles are of different people. */
function contradict(one: string, other: string): boolean {
  return (
    sharesWriting(one, other) &&
    wholeKeysOf(one).some((key) => wholeKeysOf(other).includes(key)) &&
    !sameName(one, other)
  );
}

/** 王老师, 小王: without the title only one character is left. */
function isBareSurname(name: string): boolean {
  return wholeKeysOf(name).some((key) => /^\p{Script=Han}$/u.test(key));
}

/** Roles of which a person rarely has two: 王老师 is not 王医生. */
const ROLE =
  /(?:老师|老師|教授|医生|醫生|大夫|护士|经理|經理|总监|主任|同学|同學|师傅|師傅|教练|教練|导演|校长|律师|警官|老板|先輩|社長|部長|課長|係長|店長|監督|選手)$/u;

function rolesDiffer(own: readonly string[], given: readonly string[]): boolean {
  const rolesOf = (names: readonly string[]) => names.flatMap((name) => ROLE.exec(name)?.[0] ?? []);
  const [known, said] = [rolesOf(own), rolesOf(given)];
  return known.length > 0 && said.length > 0 && !known.some((role) => said.includes(role));
}

/** Whether a name has several parts, such as a given name and a surname. */
function isFull(name: string): boolean {
  return keysOf(name).length > wholeKeysOf(name).length;
}

/** Whether the whole of one name is a part of the other. */
function isPart(one: string, other: string): boolean {
  if (!isFull(other)) return false;
  const parts = keysOf(other).slice(wholeKeysOf(other).length);
  const own = wholeKeysOf(one);
  const written = own.filter((key) => HAN.test(key));
  const isHan = written.length > 0 && parts.some((key) => HAN.test(key));
  return (isHan ? written : own).some((key) => parts.includes(key));
}

/** A recently mentioned entity, or speaker, whose name begins with this one; for a speaker also the reverse. */
async function nicknamed(
  { name, type, isSpeaker = false }: Named,
  recent: () => Promise<readonly Entity[]>,
): Promise<Entity | null> {
  if (type !== 'person' || name.length < MIN_NICKNAME_LENGTH || !/^\p{Lu}\p{Ll}+$/u.test(name)) return null;
  const fitting = (await recent()).filter(
    (one) =>
      one.type === 'person' && (one.name.startsWith(name) || (isSpeaker && isBeginning(one.name, name))),
  );
  const [only] = new Set(fitting);
  return only && fitting.every((one) => one.id === only.id) ? only : null;
}

function isBeginning(short: string, name: string): boolean {
  return short.length >= MIN_NICKNAME_LENGTH && name.startsWith(short);
}

/** The entities that the turns before mention, the most recent first. */
async function lastMentioned(store: Store, episode: Episode): Promise<Entity[]> {
  const [around] = await store.units.neighbours([episode.id], { before: TURNS_BACK, after: 0 });
  const mentions = await store.entities.ofUnits([...(around?.before ?? [])].reverse());
  return store.entities.get([...new Set(mentions.map((mention) => mention.entityId))]);
}

/** A cache, since the same words are looked up often. */
const keys = wordCache(new Map<string, readonly string[]>());
const wholeKeys = wordCache(new Map<string, readonly string[]>());
const MAX_REMEMBERED = 20_000;

/** Like `nameKeys`. */
export function keysOf(name: string): readonly string[] {
  return remembered(keys, name, nameKeys);
}

function wholeKeysOf(name: string): readonly string[] {
  return remembered(wholeKeys, name, wholeNameKeys);
}

function remembered(
  cache: Map<string, readonly string[]>,
  name: string,
  read: (name: string) => readonly string[],
): readonly string[] {
  let value = cache.get(name);
  if (!value) {
    value = read(name);
    if (cache.size >= MAX_REMEMBERED) cache.clear();
    cache.set(name, value);
  }
  return value;
}

/** The mention of an entity by a name. */
export function mentionOf(
  named: Named & { readonly surface: string; readonly confidence: number },
  { entity, isName }: Resolution,
): EntityMention {
  const { name, aliases, surface, confidence } = named;
  if (!entity)
    return { entityId: null, type: named.type ?? 'other', name, aliases: [...aliases], surface, confidence };
  return {
    entityId: entity.id,
    type: entity.type,
    name: isName ? name : entity.name,
    aliases: isName ? [...aliases] : [],
    surface,
    confidence,
  };
}
