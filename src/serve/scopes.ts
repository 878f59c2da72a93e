/** The scope that a token needs for an operation. */
import { TOKEN_SCOPES, type TokenScope } from '../settings/settings.ts';
import type { Caller } from './auth.ts';
import type { Operation } from './operation.ts';
import { Problem } from './problem.ts';

/** Operations on a memory as a whole, that cannot be undone, or on what is masked for others. */
const MANAGES =
  /^(?:forget|erase|export|import|rebuild|reorganize|rollback|createCheckpoint|rotate|archiveMemory|changeSensitivePolicy|maskUnit)/;
/** Operations that are not GET but do not change a memory. */
const READS: ReadonlySet<string> = new Set(['createEventTicket', 'signOut']);

export function scopeOf({ name, access, method, isRead }: Operation): TokenScope {
  if (access === 'operator' || access === 'metrics') return 'operate';
  if (MANAGES.test(name)) return 'manage';
  return method === 'GET' || isRead === true || READS.has(name) ? 'read' : 'write';
}

/** @throws Problem FORBIDDEN */
export function checkScope(caller: Pick<Caller, 'scope'> | null, needed: TokenScope): void {
  if (caller === null || includesScope(caller.scope, needed)) return;
  throw new Problem(
    'FORBIDDEN',
    `This requires a token with the scope ${needed}; this one has ${caller.scope}.`,
  );
}

export function includesScope(scope: TokenScope, needed: TokenScope): boolean {
  return TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(needed);
}
