import { unitText, type Instant, type Unit } from '../model/model.ts';
import type { Passage, Store } from '../store/store.ts';
import { passageTerms, sketchOf, type Sketch } from '../text/text.ts';
import { readPassages, type ReadPassages } from './passage.ts';
import { TermBlock, type CountedTerms } from './termCounts.ts';

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
const MAX_DOCUMENTS = 20_000;
/** Sketches kept, about 300 bytes each. */
const MAX_SKETCHES = 20_000;
/** Long texts kept in passages, some 10 KB each. */
const MAX_PASSAGE_TEXTS = 1_000;
/** Documents whose terms share a block: they are forgotten together. */
const DOCUMENTS_OF_BLOCK = MAX_DOCUMENTS / 10;

/**
 * Reads documents, keeping those of episodes: an episode's words never change, so what was read once stays true
 * whoever else writes to the memory.
 */
export class DocumentReader {
  readonly #store: Store;
  readonly #kept = new Map<number, Document>();
  /** How the units that were compared are written. */
  readonly #sketches = new Map<number, Sketch>();
  readonly #passages = new Map<number, ReadPassages>();
  /** Of the documents kept last. */
  #block = new TermBlock();

  constructor(store: Store) {
    this.#store = store;
  }

  /** In the order of the ids, each once; units that are not there are left out. */
  async read(unitIds: readonly number[]): Promise<Document[]> {
    const documents = unitIds.map((id) => this.#kept.get(id));
    const missing = unitIds.filter((_, i) => documents[i] === undefined);
    if (missing.length > 0) {
      const read = await this.#readNow(missing);
      for (const [i, id] of unitIds.entries()) documents[i] ??= read.get(id);
    }
    return documents.filter((document) => document !== undefined);
  }

  /** Keeps nothing of what was read. */
  clear(): void {
    this.#kept.clear();
    this.#sketches.clear();
    this.#passages.clear();
    this.#block = new TermBlock();
  }

  /** Made once for each episode. */
  sketch(unit: Unit): Sketch {
    const kept = this.#sketches.get(unit.id);
    if (kept) return kept;
    const sketch = sketchOf(unitText(unit));
    if (unit.kind !== 'episode') return sketch;
    if (this.#sketches.size >= MAX_SKETCHES) this.#sketches.clear();
    this.#sketches.set(unit.id, sketch);
    return sketch;
  }

  /** The passages of a unit's text; made once for each long episode. */
  passages(unit: Unit): ReadPassages {
    const text = unitText(unit);
    const kept = this.#passages.get(unit.id);
    if (kept?.text === text) return kept;
    const passages = readPassages(text);
    if (unit.kind !== 'episode' || passages.ranges.length < 2) return passages;
    if (this.#passages.size >= MAX_PASSAGE_TEXTS) this.#passages.clear();
    this.#passages.set(unit.id, passages);
    return passages;
  }

  async #readNow(unitIds: readonly number[]): Promise<Map<number, Document>> {
    const documents = new Map<number, Document>();
    const passing = new TermBlock();
    for (const passage of await this.#store.units.passages(unitIds)) {
      const isKept = passage.kind === 'episode';
      if (isKept) this.#makeRoom();
      const document = this.#analyse(passage, isKept ? this.#block : passing);
      documents.set(passage.unitId, document);
      if (isKept) this.#kept.set(passage.unitId, document);
    }
    return documents;
  }

  /** The oldest block goes when there are too many: cheaper than keeping order at every look. */
  #makeRoom(): void {
    if (this.#kept.size % DOCUMENTS_OF_BLOCK !== 0) return;
    this.#block = new TermBlock();
    if (this.#kept.size < MAX_DOCUMENTS) return;
    for (const [id] of this.#kept.entries().take(DOCUMENTS_OF_BLOCK)) this.#kept.delete(id);
  }

  #analyse(passage: Passage, block: TermBlock): Document {
    const { unitId, conversationId, turnIndex, speaker, text, occurredAt } = passage;
    const { terms, asks } = passageTerms(passage, this.#store.timeZone);
    return {
      unitId,
      conversationId,
      turnIndex,
      speaker,
      text,
      occurredAt,
      terms: block.add(terms),
      length: terms.length,
      isQuestion: asks,
    };
  }
}
