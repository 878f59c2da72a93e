import type { Unit } from '../../model/model.ts';
import {
  openVersion,
  readSnapshot,
  sealSnapshot,
  type Snapshot,
  unlike,
  type VersionRow,
} from '../rows/rows.ts';
import type { Database } from './database.ts';
import type { UnitTable } from './units.ts';

const BATCH = 500;

/**
 * Problems of the versions of units: each snapshot's payload must match its hash, versions must be consecutive, and
 * the last one must equal the unit.
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
    const snapshot = readOpened(db, row);
    if (snapshot === null)
      problems.push(`Version ${row.version} of unit ${row.unit_id} does not fit its hash.`);
    else latest.set(row.unit_id, { version: row.version, snapshot });
  }
  compare();
  return problems;
}

function readOpened(db: Database, row: VersionRow): Snapshot | null {
  try {
    const opened = openVersion(db.keys, row);
    // The fields that are not encrypted must agree with the snapshot.
    if (sealSnapshot(db.keys, JSON.parse(opened.snapshot) as Unit) !== row.snapshot) return null;
    return readSnapshot(opened, (words) => db.keys.hashWords(words));
  } catch {
    return null;
  }
}
