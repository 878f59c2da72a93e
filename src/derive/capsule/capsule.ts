/** The current short-term state, in one unit that is rewritten after new turns. */
import { newUnitSchema, type UnitOf } from '../../model/model.ts';
import type { DerivationMark, Store, UnitChange } from '../../store/store.ts';
import type { Derivation, DerivationParts } from '../derivation.ts';
import { question, type EpisodeDerivation } from '../episodeDerivation.ts';
import { markOf } from '../inputMarks.ts';
import { promptFor } from '../prompts.ts';
import { checkMoment, describeByRules, momentSchema, momentValues, RULES_VERSION } from './capsuleText.ts';
import { readSituation, type Situation } from './situation.ts';

const KIND = 'refresh_capsule';
const BY_RULES = `${KIND}:rules`;
/** Confidence of a state described by a model, or by a template. */
const CONFIDENCE = { [KIND]: 0.8, [BY_RULES]: 0.5 } as const;

interface Description {
  readonly text: string;
  readonly source: typeof KIND | typeof BY_RULES;
  readonly mark: DerivationMark;
}

/**
 * Maintains one capsule by a template: subjects, mood, open questions. It expires twelve hours after the last turn,
 * and none is made from older turns. A description by a model of the last turn is kept.
 */
export function createCapsuleDerivation({ store, now }: DerivationParts): Derivation {
  return {
    kind: KIND,
    batchSize: 1,
    async run() {
      const situation = await readSituation(store, now());
      if (!situation || (await isDescribed(store, situation))) return;
      const mark = markOfSituation(situation, RULES_VERSION, null);
      if (await store.units.isDerived(mark)) return;
      await keep(store, situation, { text: describeByRules(situation), source: BY_RULES, mark });
    },
  };
}

/** The capsule written by a model when it reads the last turn. The rules have a separate job. */
export function createMomentDerivation({ store, now }: DerivationParts): EpisodeDerivation {
  return {
    kind: KIND,
    byRules: async () => {},
    async ask({ scenes, language }, model) {
      const situation = await readSituation(store, now());
      const last = scenes.at(-1);
      if (!situation || situation.newest.id !== last?.episode.id) return null;
      const prompt = promptFor(KIND, language);
      return question({
        prompt,
        values: momentValues(situation),
        schema: momentSchema,
        async keep(reply) {
          // The mood was computed from these turns in the meantime.
          const present = await readSituation(store, now());
          const text = present && checkMoment(reply, present, prompt);
          if (!text || present.newest.id !== situation.newest.id) return;
          const mark = markOfSituation(present, prompt.version, model.id);
          await keep(store, present, { text, source: KIND, mark });
        },
      });
    },
  };
}

/** Whether the capsule contains a model's description of the last turn. */
async function isDescribed(store: Store, { newest }: Situation): Promise<boolean> {
  const capsules = await ownCapsules(store);
  return capsules.some(({ source, payload }) => source === KIND && payload.evidence.includes(newest.id));
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

/** Capsules made here and not archived; others were written by hand. */
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
