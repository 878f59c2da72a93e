import type { Session } from './session.ts';

/** The triggers that prevent changes to turns; they must exist and be enabled. */
const GUARDS = ['turn_is_never_changed', 'turn_is_never_emptied'];

/** Missing parts of the schema: the triggers that prevent changes to turns. */
export async function schemaProblems(session: Session): Promise<string[]> {
  const rows = await session.all<{ name: string }>(
    `SELECT tgname AS name FROM pg_trigger
     WHERE tgrelid = 'turn'::regclass AND tgenabled <> 'D' AND $1::integer IS NOT NULL`,
  );
  const found = new Set(rows.map((row) => row.name));
  return GUARDS.filter((name) => !found.has(name)).map(
    (name) => `The trigger ${name} is missing or disabled.`,
  );
}
