/** Who may come in: bearer tokens, tickets for browsers' streams, and limits for those who guess or hurry. */
import { randomBytes } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Settings, TokenIdentity } from '../settings/settings.ts';
import { Problem } from './problem.ts';

/** Whose request it is. */
export interface Caller extends TokenIdentity {
  /** Whether the token still opens what it opened: a stream may outlive it. */
  readonly isValid: () => boolean;
}

export interface AuthOptions {
  readonly tokens: Settings['tokens'];
  /** Requests of one token, or of one address without one, in a minute. */
  readonly rateLimitPerMinute: number;
  readonly now: () => number;
}

/** A ticket is good for opening one stream, this long. */
export const TICKET_LIFE_MS = 30_000;
const MAX_TICKETS = 10_000;
/** Wrong tokens from one address in a minute. */
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
   * Whose request it is.
   * @param ticket handed in where a browser can send no header
   * @throws Problem UNAUTHORIZED, RATE_LIMITED
   */
  async identify(request: Request, address: string, ticket?: string): Promise<Caller> {
    const token = bearerToken(request.headers);
    const caller = token === null ? this.#takeTicket(ticket) : this.#verify(token);
    if (caller) return caller;
    // A right token is let in however many wrong ones came from the same address.
    if (token !== null || ticket !== undefined) await take(this.#wrongTokens, address);
    throw new Problem('UNAUTHORIZED', undefined, {
      headers: { 'www-authenticate': 'Bearer realm="omoide"' },
    });
  }

  /** @throws Problem RATE_LIMITED */
  async countRequest(caller: Caller | null, address: string): Promise<void> {
    await take(this.#requests, caller ? `token ${caller.id}` : `address ${address}`);
  }

  /** What opens one stream for the caller, once, where it can send no header. */
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
  throw new Problem('FORBIDDEN', 'This token reaches only the memory that it was made for.');
}

/** The subprotocol that a WebSocket speaks; beside it a browser may name its token, as `bearer.TOKEN`. */
export const SUBPROTOCOL = 'omoide';

/** Whether a WebSocket is asked for. */
export function isUpgrade(headers: Headers): boolean {
  return headers.get('upgrade')?.toLowerCase() === 'websocket';
}

/** From the header Authorization or, for browsers’ WebSockets, which can set no header, from among the subprotocols. */
function bearerToken(headers: Headers): string | null {
  const [, token] = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (token !== undefined) return token;
  if (!isUpgrade(headers)) return null;
  const protocols = (headers.get('sec-websocket-protocol') ?? '').split(',').map((part) => part.trim());
  return protocols.find((part) => part.startsWith('bearer.'))?.slice('bearer.'.length) ?? null;
}

/** @throws Problem RATE_LIMITED */
async function take(limiter: RateLimiterMemory, key: string): Promise<void> {
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
