/** Converts units to the items of the answer. */
import { maskedWords, revealed, unitText, type Instant } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { terms } from '../../text/text.ts';
import { unitsAsOf } from '../asOf.ts';
import { quoteOf } from '../autoRecall/autoRecall.ts';
import { unranked, type Found } from './find.ts';
import { whyFound, type SentenceOptions } from './reasons.ts';
import type { ResolvedQuery } from './resolvedQuery.ts';
import type { ExploredItem } from './types.ts';

/** Each with its quote, its topics and the reason, in the given order. */
export async function toItems(
  store: Store,
  found: readonly Found[],
  query: ResolvedQuery,
  sentenceOptions: SentenceOptions,
): Promise<ExploredItem[]> {
  const ids = found.map(({ unitId }) => unitId);
  const [units, topicIds] = await Promise.all([store.units.get(ids), store.topics.ofUnits(ids)]);
  const then = query.asOf === null ? units : await unitsAsOf(store, units, query.asOf);
  const foundById = new Map(found.map((each) => [each.unitId, each]));
  const around = [...query.keywords, ...terms(query.text ?? '')];
  return then.map((whole) => {
    const unit = revealed(whole, query.reveals);
    const { score, contributions } = foundById.get(unit.id) ?? unranked(unit);
    const place = unit.kind === 'episode' ? unit.payload : null;
    return {
      unitId: unit.id,
      kind: unit.kind,
      speaker: place?.speaker ?? null,
      conversationId: place?.conversationId ?? null,
      turnIndex: place?.turnIndex ?? null,
      turnId: place?.turnId ?? null,
      occurredAt: isoOf(unit.occurredAt),
      // Of an episode quote only the spoken text: an image description is not a quote.
      quote: quoteOf(place ? maskedWords(place) : unitText(unit), around),
      emotion: unit.emotion,
      topicIds: topicIds.get(unit.id) ?? [],
      validity:
        unit.kind === 'fact'
          ? { from: isoOrNull(unit.payload.validFrom), to: isoOrNull(unit.payload.validTo) }
          : null,
      score,
      why: whyFound(unit, contributions(), query, sentenceOptions),
    };
  });
}

export function isoOrNull(at: Instant | null): string | null {
  return at === null ? null : isoOf(at);
}

function isoOf(at: Instant): string {
  return new Date(at).toISOString();
}
