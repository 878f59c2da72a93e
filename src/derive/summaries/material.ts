/** The input of a summary. */
import { unitsOfKind, localDate, SENSITIVITIES, type Instant, type Sensitivity } from '../../model/model.ts';
import type { Store, UnitFilter } from '../../store/store.ts';
import { detectLanguage, wholeNameKeys, type Language } from '../../text/text.ts';
import { plainScene, type Scene } from '../scene.ts';
import type { SummarySubject } from './plan.ts';
import { rangeOfWeek } from './week.ts';

export interface Material {
  /** In its stored form: a person's name is replaced by an id. */
  readonly subject: SummarySubject;
  /** The displayed title: `2024-01-29 – 2024-02-04`, a name, a tag. */
  readonly title: string;
  /** The names of the subject. */
  readonly names: readonly string[];
  /** In order of time, without secrets. */
  readonly scenes: readonly Scene[];
  readonly language: Language;
  readonly range: { readonly from: Instant; readonly to: Instant };
  /** The id of the newest unit among them. */
  readonly upTo: number;
  readonly sensitivity: Sensitivity;
}

/** The least number of episodes for a summary. */
const MIN_EPISODES = 3;
/** The most episodes that are read, the newest. */
const MAX_EPISODES = 400;
const MAX_SAMPLE_LENGTH = 4_000;

/** Null when there is nothing to summarise. */
export async function gatherMaterial(store: Store, wanted: SummarySubject): Promise<Material | null> {
  const found = await findSubject(store, wanted);
  if (!found) return null;
  const filter: UnitFilter = { kinds: ['episode'], ...found.filter };
  const units = unitsOfKind('episode', await store.units.list(filter, { limit: MAX_EPISODES }));
  const scenes = units
    .filter((episode) => episode.source !== 'meta_request')
    .reverse()
    .map(plainScene)
    .filter(({ text }) => text !== '');
  const [first, last] = [scenes[0]?.episode, scenes.at(-1)?.episode];
  if (!first || !last || scenes.length < MIN_EPISODES) return null;
  const sample = scenes
    .map(({ text }) => text)
    .join('\n')
    .slice(-MAX_SAMPLE_LENGTH);
  const sensitivities = scenes.map(({ episode }) => SENSITIVITIES.indexOf(episode.sensitivity));
  return {
    subject: found.subject,
    title:
      found.title ??
      `${localDate(first.occurredAt, store.timeZone)} – ${localDate(last.occurredAt, store.timeZone)}`,
    names: found.names,
    scenes,
    language: detectLanguage(sample),
    range: found.range ?? { from: first.occurredAt, to: last.occurredAt + 1 },
    upTo: Math.max(...scenes.map(({ episode }) => episode.id)),
    sensitivity: SENSITIVITIES[Math.max(...sensitivities)] ?? 'normal',
  };
}

interface Found {
  readonly subject: SummarySubject;
  readonly title?: string;
  readonly names: readonly string[];
  readonly filter: UnitFilter;
  readonly range?: { from: Instant; to: Instant };
}

async function findSubject(store: Store, subject: SummarySubject): Promise<Found | null> {
  const { scope, scopeKey } = subject;
  switch (scope) {
    case 'weekly': {
      const range = rangeOfWeek(scopeKey, store.timeZone);
      if (!range) return null;
      const title = `${localDate(range.from, store.timeZone)} – ${localDate(range.to - 1, store.timeZone)}`;
      return { subject, title, names: [], filter: range, range };
    }
    case 'person': {
      const entity = await findEntity(store, scopeKey);
      if (!entity) return null;
      const { id, name, aliases } = entity;
      return {
        subject: { scope, scopeKey: String(id) },
        title: name,
        names: [name, ...aliases],
        filter: { entityId: id },
      };
    }
    case 'topic':
      return { subject, title: scopeKey, names: [scopeKey], filter: { topicTag: scopeKey } };
    case 'relationship':
      return { subject, names: [], filter: {} };
  }
}

/** By id or, in requests by people, by name. */
async function findEntity(store: Store, key: string) {
  if (/^\d+$/.test(key)) return (await store.entities.get([Number(key)]))[0];
  const found = await store.entities.find(wholeNameKeys(key));
  return [...found.values()].flat()[0];
}
