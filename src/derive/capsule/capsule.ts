/** The current short-term state, in one unit that is made anew whenever something was said. */
import { isMemoryError, newUnitSchema, type UnitOf } from '../../model/model.ts';
import type { DerivationMark, Store, UnitChange } from '../../store/store.ts';
import type { Derivation, DerivationParts } from '../derivation.ts';
import { markOf } from '../marks.ts';
import { promptFor } from '../prompts.ts';
import { describeByModel, describeByRules, RULES_VERSION } from './capsuleText.ts';
import { readSituation, type Situation } from './situation.ts';

const KIND = 'refresh_capsule';
const BY_RULES = `${KIND}:rules`;
/** What a model, or a template, tells of the present. */
const CONFIDENCE = { [KIND]: 0.8, [BY_RULES]: 0.5 } as const;

interface Description {
  readonly text: string;
  readonly source: typeof KIND | typeof BY_RULES;
  readonly mark: DerivationMark;
}

/**
 * Keeps one capsule up to date: what is talked about, the mood, what waits for an answer. It expires twelve hours after
 * the last turn, and none is made of what is older. Where the model fails, the template serves: what is said of the
 * present cannot wait.
 */
export function createCapsuleDerivation(parts: DerivationParts): Derivation {
  return {
    kind: KIND,
    batchSize: 1,
    get asksModel() {
      return parts.model() !== null;
    },
    async run(_jobs, signal) {
      const situation = await readSituation(parts.store, parts.now());
      if (!situation) return;
      const description = await describe(parts, situation, signal);
      if (description) await keep(parts.store, situation, description);
    },
  };
}

/** The situation in words; null when it was described before. */
async function describe(
  { store, model: currentModel }: DerivationParts,
  situation: Situation,
  signal: AbortSignal,
): Promise<Description | null> {
  const model = currentModel();
  if (model) {
    const prompt = promptFor(KIND, situation.language);
    const mark = markOfSituation(situation, prompt.version, model.id);
    if (await store.units.isDerived(mark)) return null;
    const asking = { prompt, model, timeZone: store.timeZone };
    const text = await describeByModel(situation, asking, signal).catch((error: unknown) => {
      if (signal.aborted || !isMemoryError(error, 'MODEL_FAILED')) throw error;
      return null;
    });
    if (text !== null) return { text, source: KIND, mark };
  }
  const mark = markOfSituation(situation, RULES_VERSION, null);
  if (await store.units.isDerived(mark)) return null;
  return { text: describeByRules(situation), source: BY_RULES, mark };
}

function markOfSituation(
  { newest, episodes }: Situation,
  version: number,
  modelId: string | null,
): DerivationMark {
  const words = episodes.map(({ id, version }) => `${id}/${version}`);
  return markOf({ unitId: newest.id, kind: KIND, version, modelId, words });
}

async function keep(store: Store, situation: Situation, { text, source, mark }: Description): Promise<void> {
  const known = await ownCapsules(store);
  const [same, ...spare] = known.filter((capsule) => capsule.source === source);
  const others = [...spare, ...known.filter((capsule) => capsule.source !== source)];
  const changes: UnitChange[] = [changeTo(same, situation, text, source), ...others.map(archive)];
  await store.units.applyDerivation({ mark, changes });
}

/** Those made here and not archived; others were written by hand. */
async function ownCapsules(store: Store): Promise<UnitOf<'capsule'>[]> {
  const listed = await Promise.all(
    [KIND, BY_RULES].map((source) =>
      store.units.list({ kinds: ['capsule'], source, maxSensitivity: 'secret' }, { limit: 10 }),
    ),
  );
  return listed.flat().filter((unit) => unit.kind === 'capsule');
}

function changeTo(
  known: UnitOf<'capsule'> | undefined,
  situation: Situation,
  text: string,
  source: Description['source'],
): UnitChange {
  const { expiresAt, mood, sensitivity, newest } = situation;
  const evidence = situation.turns.map((turn) => turn.id);
  const content = { kind: 'capsule', payload: { text, evidence } } as const;
  const rest = { confidence: CONFIDENCE[source], sensitivity, expiresAt, emotion: mood };
  if (!known) {
    const unit = newUnitSchema.parse({
      occurredAt: newest.occurredAt,
      source,
      salience: 0.5,
      content,
      ...rest,
    });
    return { type: 'add', unit, reason: source };
  }
  return {
    type: 'update',
    unitId: known.id,
    set: { content: { kind: 'capsule', payload: { text, evidence } }, ...rest },
    reason: source,
    expectedVersion: known.version,
  };
}

function archive({ id, version }: UnitOf<'capsule'>): UnitChange {
  return { type: 'update', unitId: id, set: { state: 'archived' }, reason: KIND, expectedVersion: version };
}
