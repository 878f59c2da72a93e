import type { Session } from './session.ts';

/** Terms that are held at a time: all terms of a large memory do not fit in the memory of the process. */
const MAX_HELD = 50_000;

interface HeldTerm {
  readonly id: number;
  /** Units that contain it, counted since the last `write`. */
  documents: number;
}

/** Gives terms ids and counts their units, while the text index of a memory is filled. */
export class TermCounts {
  readonly #tx: Session;
  readonly #held = new Map<string, HeldTerm>();

  constructor(tx: Session) {
    this.#tx = tx;
  }

  /** Counts a page of documents, each with its terms. Returns the ids of the terms. */
  async count(documents: readonly ReadonlySet<string>[]): Promise<Map<string, number>> {
    const terms = new Set(documents.flatMap((document) => [...document]));
    await this.#hold(terms);
    const ids = new Map<string, number>();
    for (const document of documents) {
      for (const term of document) {
        const held = this.#held.get(term);
        if (!held) continue;
        held.documents += 1;
        ids.set(term, held.id);
      }
    }
    return ids;
  }

  /** Writes the counts to the table. */
  async write(): Promise<void> {
    const rows = [...this.#held].map(([term, { id, documents }]) => [term, id, documents]);
    this.#held.clear();
    await this.#tx.insert(
      'term AS t',
      { term: 'text', id: 'bigint', documents: 'bigint' },
      rows,
      'ON CONFLICT (memory_id, term) DO UPDATE SET documents = t.documents + excluded.documents',
    );
  }

  async #hold(terms: ReadonlySet<string>): Promise<void> {
    if (this.#held.size + terms.size > MAX_HELD) await this.write();
    const others = [...terms].filter((term) => !this.#held.has(term));
    const known = await this.#tx.all<{ term: string; id: number }>(
      'SELECT term, id FROM term WHERE memory_id = $1 AND term = ANY (?::text[])',
      others,
    );
    for (const { term, id } of known) this.#held.set(term, { id, documents: 0 });
    const added = others.filter((term) => !this.#held.has(term));
    if (added.length === 0) return;
    const firstId = await this.#tx.nextIds('term', added.length);
    for (const [i, term] of added.entries()) this.#held.set(term, { id: firstId + i, documents: 0 });
  }
}
