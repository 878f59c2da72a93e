import { KINDS, type Unit } from '../../model/model.ts';
import type { DocumentTerms } from '../../text/text.ts';

export interface SpeakerRow {
  turns: number;
  terms: number;
  questions: number;
}

/** The statistics of kinds and speakers that a batch of units adds. */
export class Totals {
  readonly kinds = new Map<number, { units: number; terms: number }>();
  readonly speakers = new Map<string, SpeakerRow>();

  count(unit: Unit, document: DocumentTerms): void {
    const kind = KINDS.indexOf(unit.kind);
    const total = this.kinds.get(kind) ?? { units: 0, terms: 0 };
    this.kinds.set(kind, { units: total.units + 1, terms: total.terms + document.terms.length });
    if (unit.kind !== 'episode') return;
    const { turns, terms, questions } = this.speakers.get(unit.payload.speaker) ?? NOTHING_SAID;
    this.speakers.set(unit.payload.speaker, {
      turns: turns + 1,
      terms: terms + document.ownTerms,
      questions: questions + (document.asks ? 1 : 0),
    });
  }
}

/** Also the statistics of terms. */
export class Tally extends Totals {
  /** The number of units that contain each term. */
  readonly documents = new Map<string, number>();

  override count(unit: Unit, document: DocumentTerms): void {
    super.count(unit, document);
    for (const term of new Set(document.terms)) this.documents.set(term, (this.documents.get(term) ?? 0) + 1);
  }
}

const NOTHING_SAID: SpeakerRow = { turns: 0, terms: 0, questions: 0 };
