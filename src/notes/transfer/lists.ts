/** Reads the JSON exports of other memory systems. */
import { isRecord, keysOf, listOf, MemoryError, parseJson, type Fields } from '../../model/model.ts';

/** Statements that become the list items of one file. */
export interface ItemList {
  /** Its file and title, such as `mem0`. */
  readonly name: string;
  readonly items: readonly ListItem[];
}

export interface ListItem {
  /** The heading for the item; null: directly under the title. */
  readonly heading: string | null;
  readonly text: string;
}

/** A text that becomes a separate file. */
export interface Block {
  /** Its file, such as `letta/human`. */
  readonly name: string;
  readonly text: string;
}

export interface FoundLists {
  readonly lists: readonly ItemList[];
  readonly blocks: readonly Block[];
  /** What was skipped, to show to people. */
  readonly remarks: readonly string[];
}

const FORMS = { mem0, openmemory: openMemory, letta, zep } as const;
export type ListForm = keyof typeof FORMS;
export const LIST_FORMS = keysOf(FORMS);

/**
 * @param form null: detect it
 * @throws MemoryError UNKNOWN_FORMAT
 */
export function readLists(text: string, form: ListForm | null, path: string): FoundLists {
  const value = parse(text);
  for (const [name, read] of Object.entries(FORMS)) {
    const found = form === null || form === name ? read(value) : null;
    if (found) return found;
  }
  const wanted = form ?? LIST_FORMS.join(', ');
  throw new MemoryError('UNKNOWN_FORMAT', `${path} contains nothing in the format ${wanted}.`);
}

/** Parses JSON, or a JSON value on each line. */
function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    try {
      return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parseJson(line)]));
    } catch {
      return null;
    }
  }
}

/** The list at one of these keys, or the value itself when it is a list; entries that are not objects are left out. */
function entriesOf(value: unknown, keys: readonly string[]): Fields[] {
  const list = Array.isArray(value) ? value : keys.map((key) => fieldsOf(value)[key]).find(Array.isArray);
  return listOf(list).filter(isRecord);
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function words(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** `2024-07-20` of an ISO time; empty when it is not a time. */
function dayOf(value: unknown): string {
  return /^\d{4}-\d{2}-\d{2}(?=T|\s|$)/.exec(words(value))?.[0] ?? '';
}

/** Adds the date in the format that notes use. */
function dated(text: string, day: string): string {
  return day === '' ? text : `${day}: ${text}`;
}

/**
 * `get_all` of mem0 (docs.mem0.ai, “Get memories”): a list of `{ memory, created_at, categories }`, or one under
 * `results`.
 */
function mem0(value: unknown): FoundLists | null {
  const entries = entriesOf(value, ['results']).filter(({ memory }) => words(memory) !== '');
  if (entries.length === 0) return null;
  const items = entries.map((entry) => ({
    heading: words(listOf(entry['categories'])[0]) || null,
    text: dated(words(entry['memory']), dayOf(entry['created_at'])),
  }));
  return { lists: [{ name: 'mem0', items }], blocks: [], remarks: [] };
}

/**
 * The backup of OpenMemory (mem0ai/mem0, openmemory/api/app/routers/backup.py): `memories.json` of its zip, with
 * `memories` and `categories`, or the lines of `memories.jsonl`. Archived and deleted memories are left out.
 */
function openMemory(value: unknown): FoundLists | null {
  const entries = entriesOf(value, ['memories']).filter(
    ({ content, state }) => words(content) !== '' && typeof state === 'string',
  );
  if (entries.length === 0) return null;
  const names = new Map(
    entriesOf(fieldsOf(value)['categories'], []).map(({ id, name }) => [id, words(name)]),
  );
  const isAlive = ({ state }: Fields) => state === 'active' || state === 'paused';
  const items = entries.filter(isAlive).map((entry) => {
    const named = listOf(entry['categories'])[0];
    const id = listOf(entry['category_ids'])[0];
    return {
      heading: words(named) || names.get(id) || null,
      text: dated(words(entry['content']), dayOf(entry['created_at'])),
    };
  });
  const gone = entries.length - items.length;
  const remarks = gone > 0 ? [`Archived or deleted memories were left out: ${gone}.`] : [];
  return { lists: [{ name: 'openmemory', items }], blocks: [], remarks };
}

/** Memory blocks of Letta: `blocks` of an agent file (.af), or a list of them; `{ label, value, description }`. */
function letta(value: unknown): FoundLists | null {
  const entries = entriesOf(value, ['blocks']).filter(({ label, value: held }) => {
    return words(label) !== '' && typeof held === 'string';
  });
  if (entries.length === 0) return null;
  const blocks = entries.flatMap((entry): Block[] => {
    const held = words(entry['value']);
    if (held === '') return [];
    const about = words(entry['description'])
      .split('\n')
      .map((line) => `> ${line}`);
    const head = about.length > 1 || about[0] !== '> ' ? `${about.join('\n')}\n\n` : '';
    const label = words(entry['label']);
    return [{ name: `letta/${label}`, text: `# ${label.replaceAll(/\s+/g, ' ')}\n\n${head}${held}\n` }];
  });
  const messages = entriesOf(value, ['agents']).flatMap((agent) => entriesOf(agent['messages'], []));
  const remarks = messages.length > 0 ? [`Messages of its agents were left out: ${messages.length}.`] : [];
  return { lists: [], blocks, remarks };
}

/**
 * Facts of Zep and Graphiti: edges as their APIs return them (help.getzep.com, “List edges”; `get_facts` of
 * Graphiti), `{ fact, valid_at, invalid_at, expired_at }`, in a list or under `edges` or `facts`.
 */
function zep(value: unknown): FoundLists | null {
  const entries = entriesOf(value, ['edges', 'facts']).filter(({ fact }) => words(fact) !== '');
  if (entries.length === 0) return null;
  const items = entries.map((entry) => {
    const until = dayOf(entry['invalid_at']) || dayOf(entry['expired_at']);
    const text = until === '' ? words(entry['fact']) : `${words(entry['fact'])} (until ${until})`;
    return { heading: until === '' ? null : 'No longer so', text: dated(text, dayOf(entry['valid_at'])) };
  });
  return { lists: [{ name: 'zep', items }], blocks: [], remarks: [] };
}
