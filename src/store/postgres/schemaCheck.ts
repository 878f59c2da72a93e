import type { Session } from './session.ts';

/** What keeps turns from being changed, and must be there and on. */
const GUARDS = ['turn_is_never_changed', 'turn_is_never_emptied'];

/** What of the schema is missing: the triggers that keep turns from being changed. */
export async function schemaProblems(session: Session): Promise<string[]> {
  const rows = await session.all<{ name: string }>(
    `SELECT tgname AS name FROM pg_trigger
     WHERE tgrelid = 'turn'::regclass AND tgenabled <> 'D' AND $1::integer IS NOT NULL`,
  );
  const found = new Set(rows.map((row) => row.name));
  return GUARDS.filter((name) => !found.has(name)).map((name) => `The trigger ${name} is missing or off.`);
}
