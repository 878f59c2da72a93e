import type { Item } from '../../api/api.ts';

export type Fact = Item<'listFacts'>;

/** When a fact began to hold, as far as anybody said. */
export function beginOf({ payload, occurredAt }: Fact): number {
  return payload.validFrom ?? occurredAt;
}
