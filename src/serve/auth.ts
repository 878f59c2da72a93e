/** Authentication: bearer tokens, tickets for browsers' streams, and rate limits. */
import { randomBytes } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Settings, TokenIdentity } from '../settings/settings.ts';
import { Problem } from './problem.ts';

export interface Caller extends TokenIdentity {
  /** Whether the token is still valid: a stream may outlive it. */
  readonly isValid: () => boolean;
}

export interface AuthOptions {
  readonly tokens: Settings['tokens'];
  /** The limit per minute for one token, or for one address without a token. */
  readonly rateLimitPerMinute: number;
  readonly now: () => number;
}

/** How long a ticket can be used to open one stream. */
export const TICKET_LIFE_MS = 30_000;
const MAX_TICKETS = 10_000;
/** The limit of wrong tokens per minute from one address. */
const MAX_WRONG_TOKENS = 10;
const MINUTE_S = 60;

export class Auth {
  readonly #options: AuthOptions;
  readonly #requests: RateLimiterMemory;
  readonly #wrongTokens: RateLimiterMemory;
  readonly #tickets = new Map<string, { readonly caller: Caller; readonly until: number }>();

  constructor(options: AuthOptions) {
    this.#options = options;
    this.#requests = new RateLimiterMemory({ points: options.rateLimitPerMinute, duration: MINUTE_S });
    this.#wrongTokens = new RateLimiterMemory({ points: MAX_WRONG_TOKENS, duration: MINUTE_S });
  }

  /**
   * The caller of a request.
   * @param ticket used where a browser cannot send a header
   * @throws Problem UNAUTHORIZED, RATE_LIMITED
   */
  async identify(request: Request, address: string, ticket?: string): Promise<Caller> {
    const token = bearerToken(request.headers);
    const caller = token === null ? this.#takeTicket(ticket) : this.#verify(token);
    if (caller) return caller;
    // A valid token is accepted even after many wrong ones from the same address.
    if (token !== null || ticket !== undefined) await consume(this.#wrongTokens, address);
    throw new Problem('UNAUTHORIZED', undefined, {
      headers: { 'www-authenticate': 'Bearer realm="omoide"' },
    });
  }

  /** @throws Problem RATE_LIMITED */
  async countRequest(caller: Caller | null, address: string): Promise<void> {
    await consume(this.#requests, caller ? `token ${caller.id}` : `address ${address}`);
  }

  /** A one-time ticket with which the caller can open a stream where it cannot send a header. */
  issueTicket(caller: Caller): string {
    const now = this.#options.now();
    for (const [ticket, { until }] of this.#tickets) {
      if (until > now && this.#tickets.size < MAX_TICKETS) break;
      this.#tickets.delete(ticket);
    }
    const ticket = randomBytes(24).toString('base64url');
    this.#tickets.set(ticket, { caller, until: now + TICKET_LIFE_MS });
    return ticket;
  }

  #verify(token: string): Caller | null {
    const { tokens } = this.#options;
    const identity = tokens.verify(token);
    return identity && { ...identity, isValid: () => tokens.verify(token)?.id === identity.id };
  }

  #takeTicket(ticket: string | undefined): Caller | null {
    if (ticket === undefined) return null;
    const issued = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    return issued && issued.until > this.#options.now() && issued.caller.isValid() ? issued.caller : null;
  }
}

/** @throws Problem FORBIDDEN when the token is bound to another memory */
export function checkReach(caller: Caller | null, memoryId: string): void {
  if (caller === null || caller.memoryId === null || caller.memoryId === memoryId) return;
  throw new Problem('FORBIDDEN', 'This token is only valid for its own memory.');
}

/** The subprotocol of a WebSocket; a browser may add its token as `bearer.TOKEN`. */
export const SUBPROTOCOL = 'omoide';

export function isUpgrade(headers: Headers): boolean {
  return headers.get('upgrade')?.toLowerCase() === 'websocket';
}

/** From the header Authorization or, for browsers’ WebSockets, which cannot set headers, from the subprotocols. */
function bearerToken(headers: Headers): string | null {
  const [, token] = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (token !== undefined) return token;
  if (!isUpgrade(headers)) return null;
  const protocols = (headers.get('sec-websocket-protocol') ?? '').split(',').map((part) => part.trim());
  return protocols.find((part) => part.startsWith('bearer.'))?.slice('bearer.'.length) ?? null;
}

/** @throws Problem RATE_LIMITED */
async function consume(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    const waitS = Math.max(1, Math.ceil(error.msBeforeNext / 1_000));
    throw new Problem('RATE_LIMITED', `Too many requests; try again in ${waitS} s.`, {
      headers: { 'retry-after': String(waitS) },
    });
  }
}
