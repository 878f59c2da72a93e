/**
 * A circuit breaker for structured replies. Without it, a model whose replies never fit the schema would be asked,
 * and asked again to repair its reply, for every turn. After a few consecutive misfits for one purpose the model is
 * not asked for a while, and callers get their result without a model.
 */
import { isMemoryError, type Instant, messageOf } from '../model/model.ts';
import type { LanguageModel } from './languageModel.ts';
import { modelFailed } from './remote/remote.ts';

const MAX_INVALID_REPLIES = 3;
const PAUSE_MS = 3_600_000;

/** A purpose for which the model is currently not asked. */
export interface BrokenForm {
  /** The purpose, as in `ModelRequest`: `extract_facts`. */
  readonly kind: string;
  readonly since: Instant;
  readonly until: Instant;
  readonly error: string;
}

interface State {
  invalidReplies: number;
  broken: BrokenForm | null;
}

export class FormBreaker {
  readonly #now: () => Instant;
  /** By model and purpose. */
  readonly #states = new Map<string, State>();
  readonly #guarded = new WeakMap<LanguageModel, LanguageModel>();

  constructor(now: () => Instant) {
    this.#now = now;
  }

  /** The purposes for which models are currently not asked. */
  get outages(): readonly BrokenForm[] {
    const now = this.#now();
    return [...this.#states.values()].flatMap(({ broken }) => (broken && broken.until > now ? [broken] : []));
  }

  /** Resets all states, for example when another model is set. */
  endOutages(): void {
    this.#states.clear();
  }

  /** Wraps the model: `generateObject` fails at once for a broken purpose. Returns the same wrapper for the same model. */
  guard(model: LanguageModel): LanguageModel {
    const known = this.#guarded.get(model);
    if (known) return known;
    const guarded: LanguageModel = {
      id: model.id,
      stream: (request, signal) => model.stream(request, signal),
      generateText: (request, signal) => model.generateText(request, signal),
      forward: (path, body, purpose, signal) => model.forward(path, body, purpose, signal),
      generateObject: (request, signal) =>
        this.#run(model.id, request.purpose, () => model.generateObject(request, signal)),
    };
    this.#guarded.set(model, guarded);
    return guarded;
  }

  async #run<T>(modelId: string, purpose: string, ask: () => Promise<T>): Promise<T> {
    const key = `${modelId}\n${purpose}`;
    const state = this.#states.get(key) ?? { invalidReplies: 0, broken: null };
    this.#states.set(key, state);
    const at = this.#now();
    if (state.broken && state.broken.until > at) {
      const until = new Date(state.broken.until).toISOString();
      const message = `${modelId} is not asked for ${purpose} until ${until}: ${state.broken.error}`;
      throw modelFailed(message, { retryable: false, reason: 'schema' });
    }
    try {
      const reply = await ask();
      this.#states.delete(key);
      return reply;
    } catch (error) {
      if (isInvalidReply(error)) {
        state.invalidReplies += 1;
        const since = state.broken?.since ?? at;
        const failure = {
          kind: purpose,
          since,
          until: this.#now() + PAUSE_MS,
          error: messageOf(error),
        };
        if (state.invalidReplies >= MAX_INVALID_REPLIES) state.broken = failure;
      }
      throw error;
    }
  }
}

/** Whether a model's reply did not fit the schema, even after a request to repair it. */
export function isInvalidReply(error: unknown): boolean {
  return isMemoryError(error, 'MODEL_FAILED') && error.details['reason'] === 'schema';
}
