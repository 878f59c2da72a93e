import { isMemoryError, type AddedTurn, type Memory, type NewTurn } from '../engine/engine.ts';

/** Adjusts text so that it can be stored, for a model's reply or a client whose request must not be rejected. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/**
 * Stores a turn at its index or, if another turn has that index, at the next free one. A turn that is already stored is
 * not stored twice.
 */
export async function storeTurn(memory: Memory, turn: NewTurn): Promise<AddedTurn> {
  try {
    return await memory.add(turn);
  } catch (error) {
    if (turn.turnIndex === undefined || !isMemoryError(error, 'TURN_CONFLICT')) throw error;
    const { turnIndex: _taken, ...rest } = turn;
    return memory.add(rest);
  }
}

/** Metadata of a reply that ended early. */
export const INTERRUPTED = { interrupted: true } as const;
