import type { Job } from '../../model/model.ts';
import { parseColumn } from './columns.ts';

export interface JobRow {
  id: number;
  kind: string;
  key: string;
  conversation_id: string | null;
  input: string;
  status: Job['status'];
  attempts: number;
  run_after: number;
  lease_owner: string | null;
  lease_until: number | null;
  last_error: string | null;
  created_at: number;
}

export function readJob(row: JobRow): Job {
  return {
    id: row.id,
    kind: row.kind,
    key: row.key,
    conversationId: row.conversation_id,
    input: parseColumn<'input'>(row.input),
    status: row.status,
    attempts: row.attempts,
    runAfter: row.run_after,
    leaseOwner: row.lease_owner,
    leaseUntil: row.lease_until,
    lastError: row.last_error,
    createdAt: row.created_at,
  };
}
