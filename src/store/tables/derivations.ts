import { MemoryError, type Instant, type Unit } from '../../model/model.ts';
import { unitJob } from '../rows/rows.ts';
import type { DerivationResult } from '../store.ts';
import type { TableParts } from './parts.ts';
import { settled, type Steps } from './steps.ts';

/** Stores the result of a derivation with its mark; see `UnitTable.applyDerivation`. */
export function* applyDerivation(
  { own, marks, units, entities }: TableParts,
  result: DerivationResult,
  now: Instant,
): Steps<{ applied: boolean; units: Unit[] }> {
  const { mark, changes, mentions, relations, unitJobKinds = [], jobs = [] } = result;
  if (yield* marks.has(mark)) return { applied: false, units: [] };
  yield* units.mustGet(mark.unitId);
  const saved = yield* units.saveAll(changes, now);
  if (mentions) yield* entities.setMentions(mark.unitId, mentions, relations);
  else if (relations?.length)
    throw new MemoryError('INVALID_INPUT', 'Relations need mentions that they connect.');
  yield* marks.keep(mark);
  const reworded = saved.flatMap(({ unit, hasNewWords }) => (hasNewWords ? unit : []));
  const unitJobs = reworded.flatMap((unit) => unitJobKinds.map((kind) => unitJob(kind, unit)));
  yield* settled(own.insertJobs([...unitJobs, ...jobs], now));
  return { applied: true, units: saved.map(({ unit }) => unit) };
}
