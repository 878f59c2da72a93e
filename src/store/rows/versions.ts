import { isDeepStrictEqual } from 'node:util';
import type { Unit } from '../../model/model.ts';
import { payloadHash, type HashWords } from './unitRows.ts';

export interface Snapshot {
  readonly kind: unknown;
  readonly payload: object;
}

/** Null when it is damaged. */
export function readSnapshot(row: VersionRow, hashWords?: HashWords): Snapshot | null {
  try {
    const unit = JSON.parse(row.snapshot) as Unit;
    const isOwn =
      unit.id === row.unit_id &&
      unit.version === row.version &&
      unit.updatedAt === row.at &&
      (row.parent_version === null || row.parent_version < row.version);
    return isOwn && payloadHash(unit, hashWords) === row.payload_hash ? unit : null;
  } catch {
    return null;
  }
}

export function unlike(unit: Unit, latest: { version: number; snapshot: Snapshot } | undefined): string[] {
  if (!latest) return [];
  if (latest.version !== unit.version)
    return [`Unit ${unit.id} has version ${unit.version}, but versions up to ${latest.version}.`];
  const isSame =
    latest.snapshot.kind === unit.kind &&
    isDeepStrictEqual(given(latest.snapshot.payload), given(unit.payload));
  return isSame ? [] : [`Unit ${unit.id} is not what its last version says.`];
}

/** Fields that an older version of Omoide did not know are null. */
function given(payload: object): object {
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null));
}

export interface VersionRow {
  unit_id: number;
  version: number;
  parent_version: number | null;
  payload_hash: string;
  at: number;
  snapshot: string;
}
