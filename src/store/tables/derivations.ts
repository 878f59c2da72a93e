import { MemoryError, type Instant, type Unit } from '../../model/model.ts';
import { unitJob } from '../rows/rows.ts';
import type { DerivationResult } from '../store.ts';
import type { TableParts } from './parts.ts';
import { settled, type Steps } from './steps.ts';

/** Stores the result of a derivation with its mark; see `UnitTable.applyDerivation`. */
export function* applyDerivation(
  { tx, own, marks }: TableParts,
  result: DerivationResult,
  now: Instant,
): Steps<{ applied: boolean; units: Unit[] }> {
  const { mark, changes, mentions, relations, unitJobKinds = [], jobs = [] } = result;
  if (yield* marks.has(mark)) return { applied: false, units: [] };
  if (!(yield* tx.get('SELECT 1 FROM unit WHERE memory_id = $1 AND id = ?', mark.unitId))) {
    throw new MemoryError('NOT_FOUND', `There is no unit ${mark.unitId}.`);
  }
  const saved = yield* settled(own.saveUnits(changes, now));
  if (mentions) yield* settled(own.setMentions(mark.unitId, mentions, relations));
  else if (relations?.length) throw new MemoryError('INVALID_INPUT', 'Relations are between mentions.');
  yield* marks.keep(mark);
  const reworded = saved.flatMap(({ unit, hasNewWords }) => (hasNewWords ? unit : []));
  const unitJobs = reworded.flatMap((unit) => unitJobKinds.map((kind) => unitJob(kind, unit)));
  yield* settled(own.insertJobs([...unitJobs, ...jobs], now));
  return { applied: true, units: saved.map(({ unit }) => unit) };
}
