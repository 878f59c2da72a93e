import { isMemoryError, type AddedTurn, type Memory, type NewTurn } from '../engine/engine.ts';

/** Words of a model, or of a client that is not turned away for them, as they can be kept. */
export function keepable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/**
 * Keeps a turn at its place or, when something else has that place, at the next free one. A turn that is there already
 * is not kept twice.
 */
export async function keepTurn(memory: Memory, turn: NewTurn): Promise<AddedTurn> {
  try {
    return await memory.add(turn);
  } catch (error) {
    if (turn.turnIndex === undefined || !isMemoryError(error, 'TURN_CONFLICT')) throw error;
    const { turnIndex: _taken, ...rest } = turn;
    return memory.add(rest);
  }
}

/** What marks a reply that ended before it was whole. */
export const INTERRUPTED = { interrupted: true } as const;
