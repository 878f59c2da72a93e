import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Unit } from '../../model/model.ts';
import type { Database } from './database.ts';
import type { UnitTable } from './units.ts';

interface VersionRow {
  unit_id: number;
  version: number;
  parent_version: number | null;
  payload_hash: string;
  at: number;
  snapshot: string;
}

const BATCH = 500;

/**
 * What is wrong with the versions of units: each holds a snapshot whose payload has its hash, they follow one another, and
 * the last one is the unit as it is.
 */
export function versionProblems(db: Database, units: UnitTable): string[] {
  const problems: string[] = [];
  const latest = new Map<number, { version: number; snapshot: Snapshot }>();
  const compare = () => {
    for (const unit of units.getMany([...latest.keys()])) problems.push(...unlike(unit, latest.get(unit.id)));
    latest.clear();
  };
  for (const row of db.iterate<VersionRow>('SELECT * FROM unit_version ORDER BY unit_id, version')) {
    if (!latest.has(row.unit_id) && latest.size >= BATCH) compare();
    const snapshot = readSnapshot(row);
    if (snapshot === null)
      problems.push(`Version ${row.version} of unit ${row.unit_id} does not fit its hash.`);
    else latest.set(row.unit_id, { version: row.version, snapshot });
  }
  compare();
  return problems;
}

interface Snapshot {
  readonly kind: unknown;
  readonly payload: object;
}

/** Null when it is damaged. */
function readSnapshot(row: VersionRow): Snapshot | null {
  try {
    const unit = JSON.parse(row.snapshot) as Unit;
    const isOwn =
      unit.id === row.unit_id &&
      unit.version === row.version &&
      unit.updatedAt === row.at &&
      (row.parent_version === null || row.parent_version < row.version);
    return isOwn && hash('sha256', JSON.stringify(unit.payload)) === row.payload_hash ? unit : null;
  } catch {
    return null;
  }
}

function unlike(unit: Unit, latest: { version: number; snapshot: Snapshot } | undefined): string[] {
  if (!latest) return [];
  if (latest.version !== unit.version)
    return [`Unit ${unit.id} has version ${unit.version}, but versions up to ${latest.version}.`];
  const isSame =
    latest.snapshot.kind === unit.kind &&
    isDeepStrictEqual(given(latest.snapshot.payload), given(unit.payload));
  return isSame ? [] : [`Unit ${unit.id} is not what its last version says.`];
}

/** What an older version of Omoide did not know of is null now. */
function given(payload: object): object {
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null));
}
