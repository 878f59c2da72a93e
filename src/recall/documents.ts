import { unitText, type Instant, type Unit } from '../model/model.ts';
import type { Passage, Store } from '../store/store.ts';
import { asks, sketchOf, visitPassageTerms, type Sketch } from '../text/text.ts';
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
  /** Number of terms, including repeats. */
  readonly length: number;
  readonly isQuestion: boolean;
}

/** Maximum size of the cached documents, in terms: about 12 bytes each, and as much for the text. */
const MAX_CACHED_TERMS = 3_000_000;
/** A document takes as much space as this many terms in addition to its terms. */
const TERMS_OF_DOCUMENT = 20;
/** The documents are cached in this many groups, whose terms share a block; the oldest group is dropped as a whole. */
const GROUPS = 10;
/** Maximum number of cached sketches, about 300 bytes each. */
const MAX_SKETCHES = 20_000;
/** Maximum number of long texts cached as passages, about 10 KB each. */
const MAX_PASSAGE_TEXTS = 1_000;

/** Documents that were cached one after the other. */
interface DocumentGroup {
  readonly block: TermBlock;
  readonly unitIds: number[];
  /** In terms. */
  size: number;
}

/**
 * Reads documents and caches those of episodes: the text of an episode never changes, so cached documents stay valid
 * whoever else writes to the memory.
 */
export class DocumentReader {
  readonly #store: Store;
  readonly #maxTerms: number;
  readonly #kept = new Map<number, Document>();
  /** Text sketches of the compared units. */
  readonly #sketches = new Map<number, Sketch>();
  readonly #passages = new Map<number, ReadPassages>();
  /** The oldest first. */
  #groups: DocumentGroup[] = [];

  constructor(store: Store, maxTerms = MAX_CACHED_TERMS) {
    this.#store = store;
    this.#maxTerms = maxTerms;
  }

  /** In the order of the ids, without duplicates; missing units are left out. */
  async read(unitIds: readonly number[]): Promise<Document[]> {
    const documents = unitIds.map((id) => this.#kept.get(id));
    const missing = unitIds.filter((_, i) => documents[i] === undefined);
    if (missing.length > 0) {
      const read = await this.#readNow(missing);
      for (const [i, id] of unitIds.entries()) documents[i] ??= read.get(id);
    }
    return documents.filter((document) => document !== undefined);
  }

  /** Number of cached documents. */
  get size(): number {
    return this.#kept.size;
  }

  /** Empties the cache. */
  clear(): void {
    this.#kept.clear();
    this.#sketches.clear();
    this.#passages.clear();
    this.#groups = [];
  }

  /** Computed once for each episode. */
  sketch(unit: Unit): Sketch {
    const kept = this.#sketches.get(unit.id);
    if (kept) return kept;
    const sketch = sketchOf(unitText(unit));
    if (unit.kind !== 'episode') return sketch;
    if (this.#sketches.size >= MAX_SKETCHES) this.#sketches.clear();
    this.#sketches.set(unit.id, sketch);
    return sketch;
  }

  /** The passages of a unit's text; computed once for each long episode. */
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
      const group = passage.kind === 'episode' ? this.#groupWithRoom() : null;
      const document = this.#analyse(passage, group?.block ?? passing);
      documents.set(passage.unitId, document);
      if (group === null) continue;
      this.#kept.set(passage.unitId, document);
      group.unitIds.push(passage.unitId);
      group.size += TERMS_OF_DOCUMENT + document.terms.to - document.terms.from;
    }
    return documents;
  }

  /** Drops the oldest group when the cache is full: cheaper than an LRU order on every read. */
  #groupWithRoom(): DocumentGroup {
    const last = this.#groups.at(-1);
    if (last && last.size < this.#maxTerms / GROUPS) return last;
    const group = { block: new TermBlock(), unitIds: [], size: 0 };
    this.#groups.push(group);
    if (this.#groups.length > GROUPS)
      for (const id of this.#groups.shift()?.unitIds ?? []) this.#kept.delete(id);
    return group;
  }

  #analyse(passage: Passage, block: TermBlock): Document {
    const { unitId, conversationId, turnIndex, speaker, text, occurredAt } = passage;
    const terms = block.add((visit) => visitPassageTerms(passage, this.#store.timeZone, visit));
    return {
      unitId,
      conversationId,
      turnIndex,
      speaker,
      text,
      occurredAt,
      terms,
      length: terms.length,
      isQuestion: speaker !== null && asks(text),
    };
  }
}
