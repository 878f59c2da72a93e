/** Summaries of weeks, people, topics and the relationship, each in one unit that is updated in place. */
import { isInvalidReply, type LanguageModel } from '../../llm/llm.ts';
import { localDate, MemoryError, newUnitSchema, type Job } from '../../model/model.ts';
import type { DerivationMark, Store, UnitChange } from '../../store/store.ts';
import type { Language } from '../../text/text.ts';
import type { Derivation, DerivationParts } from '../derivation.ts';
import { createMutex } from '../exclusive.ts';
import { markOf } from '../inputMarks.ts';
import { promptFor } from '../prompts.ts';
import { wordsOf } from '../scene.ts';
import { extractSentences } from './extract.ts';
import { gatherMaterial, type Material } from './material.ts';
import { findSummary, recordSummary, type Summary, type SummarySubject } from './plan.ts';
import { summarizeByModel, type SummaryTask, type Written } from './summaryModel.ts';

export { subjectsOfEpisodes, summaryJobs, type SummarySubject } from './plan.ts';

const KIND = 'summarize';
const RULES_VERSION = 1;
const RULES_BATCH = 16;
const CONFIDENCE = { rules: 0.5, model: 0.8 } as const;
const SALIENCE = 0.6;
const SCOPES = ['weekly', 'person', 'topic', 'relationship'] as const;

/** The most subjects in one request to a model. */
const MAX_AT_ONCE = 10;

/**
 * Summarises the subject of a job (`{ scope, scopeKey }`) if there is something new since its last summary. With a
 * model one request also covers other due jobs, which then find nothing new. Without a model: the most
 * representative sentences, quoted, none of them in two summaries.
 */
export function createSummariesDerivation(parts: DerivationParts): Derivation {
  const inTurn = createMutex(parts.store, KIND);
  return {
    kind: KIND,
    get batchSize() {
      return parts.model() ? 1 : RULES_BATCH;
    },
    get asksModel() {
      return parts.model() !== null;
    },
    async run(jobs, signal) {
      const subjects = jobs.flatMap((job) => readSubject(job) ?? []);
      const model = parts.model();
      // The quotations of other summaries, and the subjects of other requests, must be known.
      await inTurn(() =>
        model ? byModel(parts, subjects, { model, signal }) : byRules(parts, subjects, signal),
      );
    },
  };
}

function readSubject({ input }: Job): SummarySubject | null {
  const scope = SCOPES.find((one) => one === input['scope']);
  const scopeKey = input['scopeKey'];
  return scope && typeof scopeKey === 'string' ? { scope, scopeKey } : null;
}

/** The task for a subject; null when there is nothing new. */
async function readTask(store: Store, wanted: SummarySubject): Promise<SummaryTask | null> {
  const material = await gatherMaterial(store, wanted);
  if (!material) return null;
  const last = await findSummary(store, material.subject);
  if (last && material.upTo <= Number(last.payload.structured?.['upTo'] ?? 0)) return null;
  // An archived summary is not changed; a new one covers what was said since.
  return { material, previous: last?.state === 'archived' ? null : last };
}

async function byRules(
  { store, unitJobKinds, now }: DerivationParts,
  subjects: readonly SummarySubject[],
  signal: AbortSignal,
): Promise<void> {
  for (const subject of subjects) {
    signal.throwIfAborted();
    const task = await readTask(store, subject);
    const mark = task && markOfTask(task, { version: RULES_VERSION, modelId: null });
    if (!task || !mark || (await store.units.isDerived(mark))) continue;
    const written = await summarizeByRules(store, task.material);
    if (!written) continue;
    const changes = [changeOf(task, written, 'rules')];
    await store.units.applyDerivation({ mark, changes, unitJobKinds });
    await recordSummary(store, task.material.subject, now());
  }
}

async function byModel(
  parts: DerivationParts,
  subjects: readonly SummarySubject[],
  { model, signal }: { readonly model: LanguageModel; readonly signal: AbortSignal },
): Promise<void> {
  const { store, unitJobKinds, now } = parts;
  const first = subjects[0] && (await readTask(store, subjects[0]));
  if (!first) return;
  const prompt = promptFor(KIND, first.material.language);
  const tasks = await withOthers(parts, first);
  const written = await tryModel(tasks, { prompt, model, timeZone: store.timeZone }, signal);
  if (!written) {
    await byRules(
      parts,
      tasks.map(({ material }) => material.subject),
      signal,
    );
    return;
  }
  for (const [i, task] of tasks.entries()) {
    const summary = written[i];
    if (!summary) continue;
    const mark = markOfTask(task, { version: prompt.version, modelId: model.id });
    await store.units.applyDerivation({ mark, changes: [changeOf(task, summary, 'model')], unitJobKinds });
    await recordSummary(store, task.material.subject, now());
  }
  if (!written[0]) throw new MemoryError('MODEL_FAILED', 'The model wrote no summary that could be kept.');
}

/** Adds subjects of other due jobs, if they are in the same language. */
async function withOthers({ store, now }: DerivationParts, first: SummaryTask): Promise<SummaryTask[]> {
  const due = await store.jobs.list({ kind: KIND, limit: MAX_LISTED });
  const tasks = [first];
  const known = new Set([keyOfTask(first)]);
  for (const job of due) {
    if (tasks.length === MAX_AT_ONCE) break;
    const subject = job.status !== 'failed' && job.runAfter <= now() ? readSubject(job) : null;
    const task = subject && (await readTask(store, subject));
    if (!task || task.material.language !== first.material.language || known.has(keyOfTask(task))) continue;
    known.add(keyOfTask(task));
    tasks.push(task);
  }
  return tasks;
}

const MAX_LISTED = 200;

function keyOfTask({ material: { subject } }: SummaryTask): string {
  return `${KIND}/${subject.scope}/${subject.scopeKey}`;
}

function markOfTask(
  task: SummaryTask,
  form: { readonly version: number; readonly modelId: string | null },
): DerivationMark {
  const { material, previous } = task;
  const words = [...material.scenes.flatMap(wordsOf), previous?.payload.text ?? ''];
  return markOf({ ...form, unitId: material.upTo, kind: keyOfTask(task), words });
}

/** Null when the model's reply did not fit. */
async function tryModel(...args: Parameters<typeof summarizeByModel>): Promise<(Written | null)[] | null> {
  try {
    return await summarizeByModel(...args);
  } catch (error) {
    if (isInvalidReply(error)) return null;
    throw error;
  }
}

/** Null when there are no usable sentences. */
async function summarizeByRules(store: Store, material: Material): Promise<Written | null> {
  const told = material.subject.scope === 'weekly' ? new Set<string>() : await findWeeklySummarized(store);
  const highlights = extractSentences(material, (line) => told.has(line), store.timeZone);
  if (highlights.length === 0) return null;
  const opening = material.subject.scope === 'relationship' ? [await howLong(store, material.language)] : [];
  return { text: [...opening, ...highlights].join('\n'), highlights, mood: null };
}

/** Sentences quoted in the summaries of weeks. */
async function findWeeklySummarized(store: Store): Promise<Set<string>> {
  const filter = { kinds: ['summary'], maxSensitivity: 'secret' } as const;
  const summaries = await store.units.list(filter, { limit: MAX_LISTED });
  return new Set(
    summaries.flatMap((unit) =>
      unit.kind === 'summary' && unit.payload.scope === 'weekly' ? unit.payload.text.split('\n') : [],
    ),
  );
}

/** The start and the number of conversations, in words. */
async function howLong(store: Store, language: Language): Promise<string> {
  const { firstTurnAt, turns, conversations } = await store.admin.info();
  const since = firstTurnAt === null ? '' : localDate(firstTurnAt, store.timeZone);
  return {
    en: `Talking since ${since}: ${turns} turns in ${conversations} conversations.`,
    ja: `${since}から話している。${conversations}回の会話、${turns}回の発言。`,
    zh: `从${since}开始交谈，共${conversations}次对话、${turns}条发言。`,
  }[language];
}

function changeOf(
  { material, previous }: SummaryTask,
  written: Written,
  form: 'rules' | 'model',
): UnitChange {
  const { subject, range, scenes, sensitivity, title, upTo } = material;
  const { text, highlights, mood } = written;
  const source = form === 'rules' ? `${KIND}:rules` : KIND;
  const read = scenes.map(({ episode }) => episode.id);
  const payload: Summary['payload'] = {
    ...subject,
    range,
    text,
    structured: { title, text, highlights: [...highlights], mood, upTo, episodes: scenes.length },
    // A model extends the previous summary; quoted sentences are independent of it.
    evidence: [...new Set([...(form === 'model' ? (previous?.payload.evidence ?? []) : []), ...read])],
  };
  const content = { kind: 'summary' as const, payload };
  const common = { confidence: CONFIDENCE[form], sensitivity };
  if (previous) {
    return {
      type: 'update',
      unitId: previous.id,
      set: { ...common, content },
      reason: source,
      expectedVersion: previous.version,
    };
  }
  const occurredAt = scenes.at(-1)?.episode.occurredAt;
  const unit = newUnitSchema.parse({
    occurredAt,
    source,
    state: 'consolidated',
    salience: SALIENCE,
    ...common,
    content,
  });
  return { type: 'add', unit, reason: source };
}
