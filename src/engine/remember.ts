/** Stores a statement: in a file of notes or, in a memory without files, as a unit of the same form. */
import { MemoryError, parseInstant, revealed, unitText, type Unit } from '../model/model.ts';
import { inferType, type RememberOptions } from '../notes/notes.ts';
import { countTokens } from '../text/text.ts';
import type { Remembered } from './memory.ts';
import type { MemoryCore } from './memoryCore.ts';
import { examine } from './maskPolicy.ts';

/** Notes that say the same but for what is masked. */
const MAX_COMPARED = 10;
/** Longer texts are documents; in UTF-16 units. */
const MAX_LENGTH = 10_000;

/** @throws MemoryError EMPTY_TEXT, INVALID_INPUT, INVALID_TIME, and what editing a file throws */
export async function remember(
  core: MemoryCore,
  text: string,
  options: RememberOptions,
): Promise<Remembered> {
  if (typeof text !== 'string') {
    throw new MemoryError('INVALID_INPUT', 'remember takes a text; units.add takes a whole unit.');
  }
  const words = text.trim();
  if (words === '') throw new MemoryError('EMPTY_TEXT', 'There is nothing to remember: the text is empty.');
  if (core.notes) return core.notes.access.remember(words, options);
  if (words.length > MAX_LENGTH) {
    throw new MemoryError('INVALID_INPUT', `The text to remember has at most ${MAX_LENGTH} characters.`);
  }
  const known = await findKnown(core, words);
  if (known) {
    const set = { reinforcement: known.reinforcement + 1 };
    await core.saveUnit({ type: 'update', unitId: known.id, set, reason: 'reinforced' });
    return { outcome: 'reinforced', unitId: known.id, uri: null, section: '', text: words };
  }
  const { id } = await addNote(core, words, options);
  return { outcome: 'added', unitId: id, uri: null, section: '', text: words };
}

/** A note with exactly the same text. */
async function findKnown(core: MemoryCore, words: string): Promise<Unit | null> {
  const { stated } = examine({ kind: 'loop', payload: { text: words } }, core.sensitivePolicy);
  const { hits } = await core.recall.recall(stated.payload.text, {
    kinds: ['note'],
    limit: MAX_COMPARED,
    count: false,
    maxSensitivity: 'secret',
  });
  const units = await core.store.units.get(hits.map(({ unitId }) => unitId));
  return units.find((unit) => unitText(revealed(unit, 'secret')) === words) ?? null;
}

async function addNote(core: MemoryCore, words: string, options: RememberOptions): Promise<Unit> {
  const type = options.type ?? inferType(words);
  const memoryType = type === 'task' ? 'note' : type;
  const payload = {
    uri: `remembered/${memoryType}`,
    section: '',
    memoryType,
    text: words,
    tokenCount: countTokens(words),
  };
  return core.addUnit({
    source: 'remember',
    scope: options.scope ?? 'global',
    content: { kind: 'note', payload },
    ...(options.now !== undefined && { occurredAt: parseInstant(options.now, core.store.timeZone) }),
  });
}
