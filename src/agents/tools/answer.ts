/** What tools answer, within a budget. */
import { countTokens, truncateToTokens } from '../../text/text.ts';

/** Of one entry among others: a whole document in one hit would leave no room for the rest. */
const MAX_ENTRY_TOKENS = 300;

/** A text, cut when it is too long for one entry. */
export function shorten(text: string): string {
  if (countTokens(text) <= MAX_ENTRY_TOKENS) return text;
  return `${truncateToTokens(text, MAX_ENTRY_TOKENS - 1)}…`;
}

/** As many entries, from the first on, as fit the budget together as JSON. */
export function fit<Entry>(
  entries: readonly Entry[],
  budgetTokens: number,
): { shown: Entry[]; leftOut: number } {
  let tokens = 0;
  const end = entries.findIndex((entry) => (tokens += countTokens(JSON.stringify(entry)) + 1) > budgetTokens);
  const shown = end === -1 ? [...entries] : entries.slice(0, end);
  return { shown, leftOut: entries.length - shown.length };
}

/** The fields that have a value: a model leaves out what it does not ask for. */
export function defined<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };
}
