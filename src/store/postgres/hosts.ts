/** The hosts of one database, of which one is writable. Shared by the connections of a process, so that all of them follow it. */
export class Hosts {
  readonly #urls: readonly string[];
  /** How long one host may take to accept a connection. */
  readonly connectTimeoutMs: number;
  #current = 0;
  #wasConnected = false;

  /** @param urls one address for each host */
  constructor(urls: readonly string[], connectTimeoutMs: number) {
    this.#urls = urls;
    this.connectTimeoutMs = connectTimeoutMs;
  }

  /** Each host once, the last writable one first. */
  inOrder(): string[] {
    return [...this.#urls.slice(this.#current), ...this.#urls.slice(0, this.#current)];
  }

  /** The last writable host, or the one to try first. */
  get current(): string | undefined {
    return this.#urls[this.#current];
  }

  noteConnected(url: string): void {
    this.#current = this.#urls.indexOf(url);
    this.#wasConnected = true;
  }

  noteStalled(url: string): void {
    if (this.current === url) this.#current = (this.#current + 1) % this.#urls.length;
  }

  /**
   * How long work is retried while no host is writable. At the start the address may be wrong, so the user is told soon;
   * later the database is being replaced.
   */
  get maxWaitMs(): number {
    return this.#wasConnected ? FAILOVER_MS : this.connectTimeoutMs;
  }
}

/** As long as the promotion of a standby takes, with some reserve. */
const FAILOVER_MS = 30_000;
