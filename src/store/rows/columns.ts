/**
 * JSON in columns. Lists are checked. An object is taken to be what its column was made for: only this program writes
 * it, `verify` compares it with its hash or its source, and recall reads thousands.
 */
import type { Emotion, Job, ReorganizationPlan, SensitiveSpan, Turn, Unit } from '../../model/model.ts';
import type { TurnDraft } from '../evidence.ts';
import type { Value } from './row.ts';

/** The origin of a turn; stored with it so that its episode can be created again from the turn alone. */
export interface Origin {
  source: string;
  sensitivity: TurnDraft['sensitivity'];
  scope: TurnDraft['scope'];
  imageSummary: string | null;
  /** Absent when there are none, as in turns from before masks were added. */
  masks?: readonly SensitiveSpan[];
  isSpeakerMasked?: true;
}

/** What columns with JSON contain. */
interface Columns {
  adjacent: readonly [
    unitId: number,
    before: readonly (number | null)[],
    after: readonly (number | null)[],
  ][];
  counts: Readonly<Record<string, number>>;
  linked: readonly [unitId: number, relation: string][];
  emotion: Emotion;
  /** Made by a statement, and long. */
  ids: number[];
  image: Readonly<Record<string, Value | { readonly base64: string }>>;
  input: Job['input'];
  meta: Turn['meta'];
  origin: Origin;
  payload: Readonly<Record<string, unknown>>;
  plan: ReorganizationPlan;
  sealed: { readonly sealed: string };
  snapshot: Unit;
}

export function parseColumn<Name extends keyof Columns>(json: string): Columns[Name] {
  return JSON.parse(json) as Columns[Name];
}

export function parseNumbers(json: string): number[] {
  return parseList(json, (value) => typeof value === 'number');
}

export function parseTexts(json: string): string[] {
  return parseList(json, (value) => typeof value === 'string');
}

function parseList<T>(json: string, isElement: (value: unknown) => value is T): T[] {
  const list: unknown = JSON.parse(json);
  if (Array.isArray(list) && list.every(isElement)) return list;
  throw new SyntaxError('The column is not a list of such values.');
}
