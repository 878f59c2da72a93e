/**
 * Generates conversations: templates filled with made-up words, with Zipf-distributed frequencies and repetition within
 * a session. The same number of turns always gives the same text.
 */
import type { ContextLine, NewTurn } from '../src/engine/engine.ts';
import { LANGUAGES, type SpokenLanguage } from './languages.ts';

export interface GeneratedTurn extends NewTurn {
  readonly conversationId: string;
  readonly occurredAt: number;
}

export interface GeneratedQuery {
  readonly text: string;
  readonly context: ContextLine[];
}

const FIRST_SESSION_AT = Date.UTC(2023, 0, 2, 9);
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Number of different content words in each language. */
const VOCABULARY = 5_000;
const TOPIC_WORDS = 10;

/** Deterministic pseudo-random numbers (xorshift, Marsaglia 2003). */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  /** From 0 to 1. */
  next(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) / 4_294_967_296;
  }

  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)]!;
  }
}

/** Cumulative sums of 1/rank, to draw ranks. */
const ZIPF = (() => {
  const sums = new Float64Array(VOCABULARY);
  let sum = 0;
  for (let rank = 0; rank < VOCABULARY; rank++) sums[rank] = sum += 1 / (rank + 2.7);
  return sums;
})();

function drawRank(dice: Dice): number {
  const target = dice.next() * ZIPF.at(-1)!;
  let low = 0;
  let high = VOCABULARY - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ZIPF[middle]! < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The words of a session, in its language. */
class Topic {
  readonly language: SpokenLanguage;
  readonly #dice: Dice;
  readonly #words: readonly string[];
  readonly #names: readonly string[];

  constructor(dice: Dice) {
    this.#dice = dice;
    this.language = dice.pick(LANGUAGES);
    this.#words = Array.from({ length: TOPIC_WORDS }, () => this.language.word(drawRank(dice)));
    this.#names = [dice.pick(this.language.names), dice.pick(this.language.names)];
  }

  fill(frame: string): string {
    return frame.replaceAll(/(?<![A-Za-z])[NPT](?![A-Za-z])/g, (slot) => {
      if (slot === 'P') return this.#dice.pick(this.#names);
      if (slot === 'T') return this.#dice.pick(this.language.times);
      return this.#dice.next() < 0.6
        ? this.#dice.pick(this.#words)
        : this.language.word(drawRank(this.#dice));
    });
  }

  say(sentences: number): string {
    const { statements, questions, space } = this.language;
    const frames = Array.from({ length: sentences }, (_, i) =>
      this.#dice.pick(i === sentences - 1 && this.#dice.next() < 0.3 ? questions : statements),
    );
    return frames.map((frame) => this.fill(frame)).join(space);
  }

  /** As many whole sentences as come closest to this number of characters, at least one. */
  sayCharacters(characters: number): string {
    const { statements, space } = this.language;
    let text = this.fill(this.#dice.pick(statements));
    for (;;) {
      const longer = `${text}${space}${this.fill(this.#dice.pick(statements))}`;
      if (longer.length - characters > characters - text.length) return text;
      text = longer;
    }
  }
}

/**
 * Generates turns in sessions of 12 to 40, about 20 hours apart; in a third of the sessions the other speaker's turns
 * are long. With `characters`, every turn has about that many.
 */
export function* generateTurns(count: number, characters: number | null = null): Generator<GeneratedTurn> {
  const dice = new Dice(20_230_102);
  let at = FIRST_SESSION_AT;
  for (let session = 0, done = 0; done < count; session++) {
    const topic = new Topic(dice);
    const speakers = ['user', dice.next() < 0.34 ? 'ai' : dice.pick(topic.language.names)];
    const length = Math.min(count - done, dice.between(12, 40));
    for (let turn = 0; turn < length; turn++) {
      const speaker = speakers[turn % 2]!;
      const text =
        characters === null
          ? topic.say(speaker === 'ai' ? dice.between(3, 8) : dice.between(1, 3))
          : topic.sayCharacters(characters);
      yield { conversationId: `session-${session}`, turnIndex: turn, speaker, text, occurredAt: at };
      at += dice.between(10, 120) * 1_000;
    }
    done += length;
    at += dice.between(4, 36) * HOUR_MS + dice.between(0, 59) * MINUTE_MS;
  }
}

/** Different questions about such conversations, two of five with the lines before them. */
export function generateQueries(count: number, seed = 1): GeneratedQuery[] {
  const dice = new Dice(seed * 7_919);
  const queries = new Map<string, GeneratedQuery>();
  while (queries.size < count) {
    const topic = new Topic(dice);
    const text = topic.fill(dice.pick(topic.language.queries));
    const lines = dice.next() < 0.4 ? dice.between(1, 4) : 0;
    const context = Array.from({ length: lines }, (_, line) => ({
      speaker: line % 2 === 0 ? 'user' : 'ai',
      text: topic.say(dice.between(1, 2)),
    }));
    queries.set(text, { text, context });
  }
  return [...queries.values()];
}
