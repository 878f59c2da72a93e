import type { Session } from './session.ts';

/** Destroys the keys of turns and names their conversations anew. The database rejects any other change of a turn. */
export async function forgetTurns(
  tx: Session,
  turns: readonly { readonly id: number; readonly sealed: Uint8Array; readonly name: string }[],
): Promise<void> {
  await tx.keys.destroyTurnKeys(
    tx,
    turns.map(({ sealed }) => sealed),
  );
  for (const { id, name } of turns) {
    await tx.get('SELECT omoide_forget_turn($1, ?::bigint, ?)', id, name);
  }
}
