import type { ImportItem, Intake, Place, Utterance } from './intake.ts';

interface Waiting {
  readonly utterance: Utterance;
  readonly at: Place;
  readonly time: number;
}

/**
 * Reverses files that list the newest first, a day at a time. Each day is a conversation: a longer export later
 * adds to the last day and does not change the days before.
 */
export class DayBuffer {
  readonly #intake: Intake;
  #conversationId: string | null = null;
  #waiting: Waiting[] = [];

  constructor(intake: Intake) {
    this.#intake = intake;
  }

  /** Utterances of the same time keep the order in which they arrive. */
  *add(utterance: Utterance, at: Place, time: number): Generator<ImportItem> {
    if (utterance.conversationId !== this.#conversationId) yield* this.flush();
    this.#conversationId = utterance.conversationId;
    this.#waiting.push({ utterance, at, time });
  }

  *flush(): Generator<ImportItem> {
    const day = this.#waiting.toSorted((a, b) => a.time - b.time);
    this.#waiting = [];
    for (const { utterance, at } of day) yield this.#intake.take(utterance, at);
  }
}
