/**
 * Signs a browser in without typing a token or putting it in an address: a link contains a one-time code after `#`,
 * which browsers do not send and servers do not log.
 */
import { randomBytes } from 'node:crypto';
import type { Settings, TokenInfo } from '../settings/settings.ts';

export interface SignInOptions {
  readonly tokens: Settings['tokens'];
  readonly now: () => number;
}

/** How long a link may be used. */
export const SIGN_IN_LIFE_MS = 15 * 60_000;
const MAX_CODES = 100;
/** The most browsers that stay signed in; beyond it, the oldest are signed out. */
const MAX_BROWSERS = 20;
/** The name of the browsers' tokens. */
const TOKEN_NAME = 'console';

export class SignIn {
  readonly #options: SignInOptions;
  readonly #codes = new Map<string, number>();

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** A code that can be exchanged once, within `SIGN_IN_LIFE_MS`. */
  createCode(): string {
    const now = this.#options.now();
    for (const [code, until] of this.#codes)
      if (until <= now || this.#codes.size >= MAX_CODES) this.#codes.delete(code);
    const code = randomBytes(24).toString('base64url');
    this.#codes.set(code, now + SIGN_IN_LIFE_MS);
    return code;
  }

  /** The token for a browser with the code; null when the code was used, has expired or never existed. */
  exchange(code: string): string | null {
    const until = this.#codes.get(code);
    this.#codes.delete(code);
    if (until === undefined || until <= this.#options.now()) return null;
    const { tokens } = this.#options;
    for (const { id } of browsersOf(tokens.list()).slice(0, 1 - MAX_BROWSERS)) tokens.revoke(id);
    return tokens.create({ name: TOKEN_NAME }).token;
  }

  /** Revokes a token made by `exchange`. False for other tokens, which the console does not revoke. */
  end(tokenId: string): boolean {
    const { tokens } = this.#options;
    return browsersOf(tokens.list()).some(({ id }) => id === tokenId) && tokens.revoke(tokenId);
  }
}

/** Oldest first. */
function browsersOf(tokens: readonly TokenInfo[]): TokenInfo[] {
  return tokens.filter(({ name, memoryId }) => name === TOKEN_NAME && memoryId === null);
}
