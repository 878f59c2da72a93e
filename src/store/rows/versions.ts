import type { Unit, UnitVersion } from '../../model/model.ts';
import { parseColumn } from './columns.ts';
import { payloadHash, type HashWords } from './unitRows.ts';

export function readVersion(row: VersionRow): UnitVersion {
  return {
    unitId: row.unit_id,
    version: row.version,
    parentVersion: row.parent_version,
    reason: row.reason,
    payloadHash: row.payload_hash,
    at: row.at,
    snapshot: parseColumn<'snapshot'>(row.snapshot),
  };
}

/** The unit as it was; null when it is damaged. */
export function readSnapshot(row: VersionRow, hashWords?: HashWords): Unit | null {
  try {
    const unit = parseColumn<'snapshot'>(row.snapshot);
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

export interface VersionRow {
  unit_id: number;
  version: number;
  parent_version: number | null;
  reason: string;
  payload_hash: string;
  at: number;
  snapshot: string;
}
