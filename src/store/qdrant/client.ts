import { MemoryError, messageOf } from '../../model/model.ts';
import type { QdrantAddress } from './address.ts';

/** Reads are waited for, so that a search goes on without Qdrant soon. */
const READ_MS = 2_000;
const WRITE_MS = 30_000;

/** Requests to the HTTP API of Qdrant. */
export class QdrantClient {
  readonly #address: QdrantAddress;

  constructor(address: QdrantAddress) {
    this.#address = address;
  }

  /**
   * The result of a request; null when what it names does not exist.
   * @throws MemoryError BUSY when Qdrant cannot be reached, STORE_FAILED when it refuses
   */
  async send<Result>(
    method: 'GET' | 'PUT' | 'POST',
    path: string,
    request: { readonly body?: object; readonly isWrite?: true } = {},
  ): Promise<Result | null> {
    const { body, isWrite } = request;
    const answer = await this.#fetch(`${path}${isWrite ? '?wait=true' : ''}`, {
      method,
      signal: AbortSignal.timeout(isWrite ? WRITE_MS : READ_MS),
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.status === 404) return null;
    const { result } = answer.content;
    if (answer.status === 200 && result !== undefined) return result as Result;
    throw new MemoryError(
      'STORE_FAILED',
      `Qdrant at ${this.#address.origin} rejected the request: ${reasonIn(answer)}`,
      {
        status: answer.status,
      },
    );
  }

  async #fetch(path: string, init: RequestInit): Promise<Answer> {
    const { origin, apiKey } = this.#address;
    const headers = new Headers({ 'content-type': 'application/json' });
    if (apiKey !== null) headers.set('api-key', apiKey);
    const send = () => fetch(origin + path, { ...init, headers });
    try {
      // A connection that was kept open may be closed while it is used. Every request may be repeated.
      const response = await send().catch(() => send());
      const content = (await response.json().catch(() => ({}))) as Answer['content'];
      return { status: response.status, content };
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      throw new MemoryError('BUSY', `Qdrant at ${origin} cannot be reached: ${messageOf(cause)}.`, {
        cause: error,
      });
    }
  }
}

interface Answer {
  readonly status: number;
  readonly content: { readonly result?: unknown; readonly status?: string | { readonly error?: string } };
}

function reasonIn({ status, content }: Answer): string {
  const said = typeof content.status === 'object' ? content.status.error : undefined;
  return said ?? `it answered ${status}.`;
}
