/**
 * Up to `reach` turns before and after one of a conversation, nearest first. Each side ends before the first that does not pass.
 * @param at the index of the one in `turns`, which are in order
 */
export function turnsBeside(
  turns: readonly number[],
  at: number,
  passes: (turn: number) => boolean,
  reach: number,
): { before: number[]; after: number[] } {
  const side = (step: 1 | -1) => {
    const beside: number[] = [];
    for (let i = at + step; i >= 0 && i < turns.length && beside.length < reach; i += step) {
      if (!passes(turns[i]!)) break;
      beside.push(turns[i]!);
    }
    return beside;
  };
  return { before: side(-1), after: side(1) };
}
