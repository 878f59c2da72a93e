import type { Job } from '../../model/model.ts';
import type { Row } from './row.ts';

export function readJob(row: Row): Job {
  return {
    id: row['id'] as number,
    kind: row['kind'] as string,
    key: row['key'] as string,
    conversationId: row['conversation_id'] as string | null,
    input: JSON.parse(row['input'] as string) as Job['input'],
    status: row['status'] as Job['status'],
    attempts: row['attempts'] as number,
    runAfter: row['run_after'] as number,
    leaseOwner: row['lease_owner'] as string | null,
    leaseUntil: row['lease_until'] as number | null,
    lastError: row['last_error'] as string | null,
    createdAt: row['created_at'] as number,
  };
}
