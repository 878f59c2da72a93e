import type { Item } from '../../api/api.ts';

export type Fact = Item<'listFacts'>;

/** The start of a fact's validity, as far as it is known. */
export function beginOf({ payload, occurredAt }: Fact): number {
  return payload.validFrom ?? occurredAt;
}
