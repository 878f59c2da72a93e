/** The memory types of the standard files. */
const TYPE_OF_FILE: ReadonlyMap<string, string> = new Map([
  ['user/preferences.md', 'preference'],
  ['user/instructions.md', 'instruction'],
  ['user/entities.md', 'entity'],
  ['agent/decisions.md', 'decision'],
  ['agent/patterns.md', 'pattern'],
  ['tasks.md', 'task'],
]);
const JOURNAL_DAY = /^journal\/(?:.*\/)?(\d{4}-\d{2}-\d{2})\.(?:md|markdown)$/i;

/** `preference`, `instruction`, `entity`, `decision`, `pattern`, `task`, `journal`, or else `note`. */
export function memoryTypeOf(uri: string): string {
  const file = uri.toLowerCase();
  return TYPE_OF_FILE.get(file) ?? (file.startsWith('journal/') ? 'journal' : 'note');
}

/** The day of a journal file as `YYYY-MM-DD`, or null. */
export function journalDay(uri: string): string | null {
  return JOURNAL_DAY.exec(uri)?.[1] ?? null;
}
