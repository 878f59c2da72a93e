import {
  describeSensitive,
  localDate,
  MemoryError,
  SENSITIVE_KINDS,
  type Memory,
  type SensitiveKind,
  type SensitiveUnit,
} from '../engine/engine.ts';
import { InvalidArgumentError } from 'commander';
import { placesOf } from '../text/text.ts';
import { argument, flag, JSON_FLAG } from './command.ts';
import { addMemoryCommand } from './settingsCommand.ts';
import { countOf, plain, style, wrapped } from './terminal.ts';
import { parseCount, parseId } from './values.ts';

const DEFAULT_LIMIT = 50;
const INDENT = '         ';
const MAX_LINES = 3;

export const addSensitive = addMemoryCommand({
  name: 'sensitive',
  about: 'Lists turns with personal data or secrets, word for word, newest first, or corrects one.',
  args: [argument('[unit]', 'the unit to correct', { parse: parseId })],
  flags: [
    flag('--none', 'nothing in it is personal or secret'),
    flag('--mask <words>', 'these words are personal or secret, too'),
    flag('--kind <kind>', `what they are: ${SENSITIVE_KINDS.join(', ')} (default: password)`, {
      parse: parseKind,
    }),
    flag('--detect', 'mask what the rules find: in the unit, or in everything that was added without masks'),
    flag('--limit <number>', `maximum number of units (default: ${DEFAULT_LIMIT})`, { parse: parseCount }),
    JSON_FLAG,
  ],
  async run({ memory, args: [unitId], flags }) {
    if (unitId === undefined && (flags.none || flags.mask !== undefined))
      throw new MemoryError('INVALID_INPUT', 'Name the unit to correct.');
    if (unitId === undefined && flags.detect) {
      const masked = await memory.units.maskOld();
      return {
        json: { masked },
        lines: [masked === 0 ? 'Nothing new was found.' : `${countOf(masked, 'unit')} masked.`],
      };
    }
    const turns =
      unitId === undefined
        ? await memory.units.sensitive({ limit: flags.limit ?? DEFAULT_LIMIT })
        : [await correct(memory, unitId, flags)];
    return {
      json: turns.map((turn) => ({ ...turn, occurredAt: new Date(turn.occurredAt).toISOString() })),
      lines:
        turns.length === 0
          ? [style('dim', 'Nothing is private or secret.')]
          : turns.flatMap((turn) => format(turn, memory.timeZone)),
    };
  },
});

interface Correction {
  readonly none?: true;
  readonly detect?: true;
  readonly mask?: string;
  readonly kind?: SensitiveKind;
}

function parseKind(value: string): SensitiveKind {
  const kind = SENSITIVE_KINDS.find((one) => one === value);
  if (kind) return kind;
  throw new InvalidArgumentError(`It must be one of ${SENSITIVE_KINDS.join(', ')}.`);
}

/** @throws MemoryError INVALID_INPUT, NOT_FOUND */
async function correct(memory: Memory, unitId: number, flags: Correction): Promise<SensitiveUnit> {
  if (flags.none) return memory.units.mask({ unitId, places: [] });
  if (flags.detect) return memory.units.mask({ unitId, places: 'detect' });
  const { mask, kind = 'password' } = flags;
  if (mask === undefined || mask === '')
    throw new MemoryError('INVALID_INPUT', 'Say what is to be corrected: --none, --mask WORDS or --detect.');
  const [unit] = await memory.units.get([unitId]);
  if (!unit) throw new MemoryError('NOT_FOUND', `There is no unit ${unitId}.`);
  const { text, places } = describeSensitive(unit);
  const masks = places.map(({ kind: known, from, to }) => ({ kind: known, from, to }));
  const found = placesOf(mask, text).map((place) => ({ kind, ...place }));
  if (found.length === 0)
    throw new MemoryError('INVALID_INPUT', `Unit ${unitId} does not contain ${JSON.stringify(mask)}.`);
  const others = masks.filter((old) => !found.some(({ from, to }) => from < old.to && old.from < to));
  return memory.units.mask({ unitId, places: [...others, ...found], expectedVersion: unit.version });
}

function format(
  { unitId, kind, occurredAt, speaker, uri, text, sensitivity, isMasked, places }: SensitiveUnit,
  timeZone: string,
) {
  const said = `${localDate(occurredAt, timeZone)} ${speaker ?? uri ?? kind}: ${text}`;
  const [first = '', ...rest] = wrapped(said, INDENT, MAX_LINES);
  const found = places.map((place) => `${place.kind} “${plain(place.text)}” at ${place.from}`).join(', ');
  const state = places.length === 0 ? 'nothing found' : `${isMasked ? 'masked' : 'not masked'}: ${found}`;
  const head = `${String(unitId).padStart(7)}  ${first.trimStart()}`;
  return [head, ...rest, style('dim', `${INDENT}${sensitivity}; ${state}`)];
}
