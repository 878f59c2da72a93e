/** Operations that a person rolled back; they are not proposed again. */
import { planOperationSchema, type PlanOperation } from '../model/model.ts';
import type { Store } from '../store/store.ts';

const PAGE = 100;
/** If this many topics of a rolled back grouping are grouped again under another parent, it counts as the same proposal. */
const MIN_SIBLINGS = 2;

export class RolledBackProposals {
  /** Units that were archived or merged. */
  readonly unitIds: ReadonlySet<number>;
  readonly #operations: readonly PlanOperation[];

  private constructor(operations: readonly PlanOperation[]) {
    this.#operations = operations;
    this.unitIds = new Set(
      operations.flatMap((operation) =>
        operation.type === 'archiveUnits' || operation.type === 'mergeUnits' ? operation.unitIds : [],
      ),
    );
  }

  static async read(store: Store): Promise<RolledBackProposals> {
    const operations: PlanOperation[] = [];
    for (let beforeId: number | undefined; ;) {
      const page = await store.journal.list({ limit: PAGE, ...(beforeId !== undefined && { beforeId }) });
      const undone = page.filter(({ state }) => state === 'rolled_back');
      operations.push(...undone.flatMap(({ plan }) => plan.operations));
      if (page.length < PAGE) return new RolledBackProposals(operations);
      beforeId = page.at(-1)?.id;
    }
  }

  /** The operation without its declined parts; empty when nothing is left. */
  prune(operation: PlanOperation): PlanOperation[] {
    switch (operation.type) {
      case 'split':
        return this.#some('split', ({ topicId }) => topicId === operation.topicId) ? [] : [operation];
      case 'merge':
        return withFewer(operation, {
          topicIds: operation.topicIds.filter((id) => !this.#parted(id, operation.intoId)),
        });
      case 'parent': {
        const children = new Set(operation.childIds);
        const isDeclined = this.#some(
          'parent',
          ({ childIds }) =>
            childIds.filter((id) => children.has(id)).length >= Math.min(MIN_SIBLINGS, children.size),
        );
        return isDeclined ? [] : [operation];
      }
      case 'mergeUnits':
      case 'archiveUnits':
        return withFewer(operation, { unitIds: operation.unitIds.filter((id) => !this.unitIds.has(id)) });
    }
  }

  /** Whether a merge that was rolled back had joined the two topics. */
  #parted(one: number, other: number): boolean {
    return this.#some('merge', ({ topicIds, intoId }) => {
      const all = new Set([...topicIds, intoId]);
      return all.has(one) && all.has(other);
    });
  }

  #some<T extends PlanOperation['type']>(
    type: T,
    test: (operation: Extract<PlanOperation, { type: T }>) => boolean,
  ): boolean {
    const isOfType = (operation: PlanOperation): operation is Extract<PlanOperation, { type: T }> =>
      operation.type === type;
    return this.#operations.filter(isOfType).some(test);
  }
}

function withFewer(operation: PlanOperation, fewer: object): PlanOperation[] {
  const { data } = planOperationSchema.safeParse({ ...operation, ...fewer });
  return data ? [data] : [];
}
