import {
  localDate,
  unitText,
  type Instant,
  type PlanOperation,
  type ReorganizationPlan,
  type Topic,
  type Unit,
} from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { shortLine, type Language } from '../text/text.ts';
import { topicsOf, unitsOf } from './validate.ts';
import { languageOf, WORDING } from './wording.ts';

/** How many units of one operation are quoted; the others are counted. */
const MAX_QUOTED = 10;
const MAX_QUOTE_LENGTH = 60;

/** The topics and units that a plan mentions. */
interface Subjects {
  readonly timeZone: string;
  readonly language: Language;
  readonly topics: ReadonlyMap<number, Topic>;
  readonly units: ReadonlyMap<number, Unit>;
  /** The dates of the first and the last of these episodes. */
  readonly periodOf: (unitIds: readonly number[]) => string;
}

/**
 * Describes the plan for a person to read: a line for each operation and, indented below it, its subjects and
 * reason. What was deleted since the plan was made is shown by its id.
 * @param language default: that of the topics' titles
 */
export async function describePlan(
  store: Store,
  plan: ReorganizationPlan,
  language?: Language,
): Promise<string[]> {
  const subjects = await readSubjects(store, plan, language);
  const wording = WORDING[subjects.language];
  const by = plan.by === 'rules' ? wording.byRules : plan.by;
  const lines = plan.operations.flatMap((operation) => describe(operation, subjects));
  if (plan.refresh.length > 0) lines.push(wording.refresh(plan.refresh.length));
  return [
    wording.title(localDate(plan.at, store.timeZone), by),
    ...(lines.length > 0 ? lines : [wording.nothing]),
  ];
}

async function readSubjects(store: Store, plan: ReorganizationPlan, language?: Language): Promise<Subjects> {
  const { operations } = plan;
  const topics = await store.topics.get([...new Set(operations.flatMap(topicsOf))]);
  const units = await store.units.get([...new Set(operations.flatMap(unitsOf))]);
  const moved = operations.flatMap((operation) =>
    operation.type === 'split' ? operation.into.flatMap(({ unitIds }) => unitIds) : [],
  );
  const passages = await store.units.passages(moved);
  const occurredAt = new Map(passages.map((passage) => [passage.unitId, passage.occurredAt]));
  const { timeZone } = store;
  return {
    timeZone,
    language: language ?? languageOf([...topics.map(({ title }) => title), ...units.map(unitText)]),
    topics: new Map(topics.map((topic) => [topic.id, topic])),
    units: new Map(units.map((unit) => [unit.id, unit])),
    periodOf: (unitIds) =>
      periodOf(
        unitIds.flatMap((id) => occurredAt.get(id) ?? []),
        timeZone,
      ),
  };
}

function periodOf(times: readonly Instant[], timeZone: string): string {
  if (times.length === 0) return '-';
  const [first, last] = [Math.min(...times), Math.max(...times)].map((at) => localDate(at, timeZone));
  return first === last ? `${first}` : `${first}–${last}`;
}

function describe(operation: PlanOperation, subjects: Subjects): string[] {
  const wording = WORDING[subjects.language];
  const [head = '', ...below] = linesOf(operation, subjects);
  return [head, ...below, wording.because(operation.reason)].map((line, i) => (i === 0 ? line : `  ${line}`));
}

function linesOf(operation: PlanOperation, subjects: Subjects): string[] {
  const { language, topics } = subjects;
  const wording = WORDING[language];
  const topic = (id: number) => nameOf(id, subjects);
  switch (operation.type) {
    case 'split': {
      const { topicId, into } = operation;
      const members = topics.get(topicId)?.members ?? 0;
      const staying = members - into.reduce((sum, { unitIds }) => sum + unitIds.length, 0);
      return [
        wording.split(topic(topicId)),
        ...into.map(({ title, unitIds }) =>
          wording.part(wording.quote(title), unitIds.length, subjects.periodOf(unitIds)),
        ),
        ...(staying > 0 ? [wording.stay(staying)] : []),
      ];
    }
    case 'merge': {
      const { topicIds, intoId, rename } = operation;
      const separator = language === 'en' ? ', ' : '、';
      return [
        wording.merge(topicIds.map(topic).join(separator), topic(intoId)),
        ...(rename ? [wording.rename(wording.quote(rename.title))] : []),
      ];
    }
    case 'parent': {
      const { childIds, parent } = operation;
      const head =
        'topicId' in parent
          ? wording.parent(topic(parent.topicId), childIds.length)
          : wording.newParent(wording.quote(parent.title), childIds.length);
      return [head, ...childIds.map(topic)];
    }
    case 'mergeUnits':
      return [
        wording.mergeUnits(quoteOf(operation.intoId, subjects), operation.unitIds.length),
        ...quotesOf(operation.unitIds, subjects),
      ];
    case 'archiveUnits':
      return [wording.archiveUnits(operation.unitIds.length), ...quotesOf(operation.unitIds, subjects)];
  }
}

function nameOf(id: number, { language, topics }: Subjects): string {
  const topic = topics.get(id);
  return topic ? WORDING[language].topic(topic.title, id, topic.members) : `#${id}`;
}

function quotesOf(unitIds: readonly number[], subjects: Subjects): string[] {
  const quotes = unitIds.slice(0, MAX_QUOTED).map((id) => quoteOf(id, subjects));
  const more = unitIds.length - quotes.length;
  return more > 0 ? [...quotes, WORDING[subjects.language].more(more)] : quotes;
}

function quoteOf(id: number, { language, units }: Subjects): string {
  const unit = units.get(id);
  if (!unit || unit.sensitivity === 'secret') return `#${id}`;
  return WORDING[language].quote(shortLine(unitText(unit), MAX_QUOTE_LENGTH));
}
