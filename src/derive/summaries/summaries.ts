/** Weeks, people, topics and the relationship, each summed up in one unit that is brought up to date in place. */
import { isMisfit } from '../../llm/llm.ts';
import { localDate, newUnitSchema, type Job } from '../../model/model.ts';
import type { Store, UnitChange } from '../../store/store.ts';
import type { Language } from '../../text/text.ts';
import type { Derivation, DerivationParts } from '../derivation.ts';
import { markOf } from '../marks.ts';
import { promptFor } from '../prompts.ts';
import { wordsOf } from '../scene.ts';
import { extractSentences, formatExtract } from './extract.ts';
import { gatherMaterial, type Material } from './material.ts';
import { findSummary, noteMade, type Summary, type SummarySubject } from './plan.ts';
import { summarizeByModel, type Written } from './summaryModel.ts';

export { subjectsOfEpisodes, summaryJobs, type SummarySubject } from './plan.ts';

const KIND = 'summarize';
const RULES_VERSION = 1;
const RULES_BATCH = 16;
const CONFIDENCE = { rules: 0.5, model: 0.8 } as const;
const SALIENCE = 0.6;
const SCOPES = ['weekly', 'person', 'topic', 'relationship'] as const;

/**
 * Sums up what a job names (`{ scope, scopeKey }`) when something was said of it since it was last summed up. Without a
 * model: the most telling sentences, quoted.
 */
export function createSummariesDerivation(parts: DerivationParts): Derivation {
  return {
    kind: KIND,
    get batchSize() {
      return parts.model() ? 1 : RULES_BATCH;
    },
    get asksModel() {
      return parts.model() !== null;
    },
    async run(jobs, signal) {
      for (const job of jobs) {
        signal.throwIfAborted();
        await summarize(parts, readSubject(job), signal);
      }
    },
  };
}

function readSubject({ input }: Job): SummarySubject | null {
  const scope = SCOPES.find((one) => one === input['scope']);
  const scopeKey = input['scopeKey'];
  return scope && typeof scopeKey === 'string' ? { scope, scopeKey } : null;
}

async function summarize(
  parts: DerivationParts,
  wanted: SummarySubject | null,
  signal: AbortSignal,
): Promise<void> {
  const { store, unitJobKinds } = parts;
  const material = wanted && (await gatherMaterial(store, wanted));
  if (!material) return;
  const last = await findSummary(store, material.subject);
  if (last && material.upTo <= Number(last.payload.structured?.['upTo'] ?? 0)) return;
  // One that was put away stays so; what is said since is summed up anew.
  const previous = last?.state === 'archived' ? null : last;
  const model = parts.model();
  const prompt = model && promptFor(KIND, material.language);
  const mark = markOf({
    unitId: material.upTo,
    kind: `${KIND}/${material.subject.scope}/${material.subject.scopeKey}`,
    version: prompt?.version ?? RULES_VERSION,
    modelId: model?.id ?? null,
    words: [...material.scenes.flatMap(wordsOf), previous?.payload.text ?? ''],
  });
  if (await store.units.isDerived(mark)) return;
  const byModel =
    model &&
    prompt &&
    (await tryModel({ material, previous, prompt, timeZone: store.timeZone }, model, signal));
  const written = byModel ?? (await summarizeByRules(store, material));
  if (!written) return;
  const change = changeOf(material, written, previous, byModel ? 'model' : 'rules');
  await store.units.applyDerivation({ mark, changes: [change], unitJobKinds });
  await noteMade(store, material.subject, parts.now());
}

/** Null when the model's reply did not fit. */
async function tryModel(...args: Parameters<typeof summarizeByModel>): Promise<Written | null> {
  try {
    return await summarizeByModel(...args);
  } catch (error) {
    if (isMisfit(error)) return null;
    throw error;
  }
}

/** Null when no sentence tells anything. */
async function summarizeByRules(store: Store, material: Material): Promise<Written | null> {
  const highlights = extractSentences(material).map((extract) => formatExtract(extract, store.timeZone));
  if (highlights.length === 0) return null;
  const opening = material.subject.scope === 'relationship' ? [await howLong(store, material.language)] : [];
  return { text: [...opening, ...highlights].join('\n'), highlights, mood: null };
}

/** Since when there is talk, and how much. */
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
  material: Material,
  written: Written,
  previous: Summary | null,
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
    // A model carries on what the summary before it said; sentences that are quoted stand for themselves.
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
