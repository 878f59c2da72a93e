import type { Instant } from '../model/model.ts';
import type { Passage, Store } from '../store/store.ts';
import { passageTerms } from '../text/text.ts';
import { countTerms, type CountedTerms } from './termKeys.ts';

/** A unit as the scorer reads it. */
export interface Document {
  readonly unitId: number;
  readonly conversationId: string | null;
  readonly turnIndex: number | null;
  readonly speaker: string | null;
  readonly text: string;
  readonly occurredAt: Instant;
  readonly terms: CountedTerms;
  /** Terms in all. */
  readonly length: number;
  readonly isQuestion: boolean;
}

/** Documents kept, about 1 KB each. */
const MOST_DOCUMENTS = 20_000;

/**
 * Reads documents, keeping those of episodes: an episode's words never change, so what was read once stays true
 * whoever else writes to the memory.
 */
export class DocumentReader {
  readonly #store: Store;
  readonly #kept = new Map<number, Document>();

  constructor(store: Store) {
    this.#store = store;
  }

  async read(unitIds: Iterable<number>): Promise<Map<number, Document>> {
    const documents = new Map<number, Document>();
    const missing: number[] = [];
    for (const id of unitIds) {
      const kept = this.#kept.get(id);
      if (kept) documents.set(id, kept);
      else missing.push(id);
    }
    if (missing.length === 0) return documents;
    for (const passage of await this.#store.getPassages(missing)) {
      const document = this.#analyse(passage);
      documents.set(passage.unitId, document);
      if (passage.kind === 'episode') this.#keep(document);
    }
    return documents;
  }

  /** The oldest tenth goes when there are too many: cheaper than keeping order at every look. */
  #keep(document: Document): void {
    if (this.#kept.size >= MOST_DOCUMENTS) {
      let surplus = MOST_DOCUMENTS / 10;
      for (const id of this.#kept.keys()) {
        if (surplus-- <= 0) break;
        this.#kept.delete(id);
      }
    }
    this.#kept.set(document.unitId, document);
  }

  #analyse(passage: Passage): Document {
    const { unitId, conversationId, turnIndex, speaker, text, occurredAt } = passage;
    const { terms, asks } = passageTerms(passage, this.#store.timeZone);
    return {
      unitId,
      conversationId,
      turnIndex,
      speaker,
      text,
      occurredAt,
      terms: countTerms(terms),
      length: terms.length,
      isQuestion: asks,
    };
  }
}
