/** A budget without a limit: tokens are not counted. */
export const NO_BUDGET = Number.MAX_SAFE_INTEGER;

/**
 * Takes hits in order while they fit. A hit that does not fit is skipped and later, smaller ones may still be taken, so
 * that one long text does not leave the budget unused.
 * @returns the hits that fit, the tokens they take, the remaining tokens, and the skipped hits
 */
export function fitBudget<T extends { readonly tokens: number }>(
  hits: readonly T[],
  budgetTokens: number,
): { fitting: T[]; totalTokens: number; remainingTokens: number; passedOver: T[] } {
  if (budgetTokens === NO_BUDGET) {
    let counted: number | undefined;
    const total = () => (counted ??= hits.reduce((sum, { tokens }) => sum + tokens, 0));
    return {
      fitting: [...hits],
      passedOver: [],
      get totalTokens() {
        return total();
      },
      get remainingTokens() {
        return budgetTokens - total();
      },
    };
  }
  const fitting: T[] = [];
  const passedOver: T[] = [];
  let totalTokens = 0;
  for (const hit of hits) {
    if (totalTokens + hit.tokens <= budgetTokens) {
      fitting.push(hit);
      totalTokens += hit.tokens;
    } else {
      passedOver.push(hit);
    }
  }
  return { fitting, totalTokens, remainingTokens: budgetTokens - totalTokens, passedOver };
}
