import type { ImportItem, Intake, Place, Utterance } from './intake.ts';

interface Waiting {
  readonly utterance: Utterance;
  readonly at: Place;
  readonly time: number;
}

/**
 * Puts in order what a file tells newest first, a day at a time: each day is a conversation of its own, so that a longer
 * export later adds to the last day and changes none before it.
 */
export class DayBuffer {
  readonly #intake: Intake;
  #conversationId: string | null = null;
  #waiting: Waiting[] = [];

  constructor(intake: Intake) {
    this.#intake = intake;
  }

  /** Utterances of the same time stay in the order in which they come. */
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
