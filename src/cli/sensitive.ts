import {
  localDate,
  MemoryError,
  SENSITIVE_KINDS,
  type Memory,
  type SensitiveKind,
  type SensitiveTurn,
} from '../engine/engine.ts';
import { InvalidArgumentError } from 'commander';
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
  args: [argument('[unit]', 'the unit of the turn to correct', { parse: parseId })],
  flags: [
    flag('--none', 'nothing in it is personal or secret'),
    flag('--mask <words>', 'these words are personal or secret, too'),
    flag('--kind <kind>', `what they are: ${SENSITIVE_KINDS.join(', ')} (default: password)`, {
      parse: parseKind,
    }),
    flag('--detect', 'mask what the rules find: in the turn, or in every turn that was added without masks'),
    flag('--limit <number>', `maximum number of turns (default: ${DEFAULT_LIMIT})`, { parse: parseCount }),
    JSON_FLAG,
  ],
  async run({ memory, args: [unitId], flags }) {
    if (unitId === undefined && (flags.none || flags.mask !== undefined))
      throw new MemoryError('INVALID_INPUT', 'Name the unit to correct.');
    if (unitId === undefined && flags.detect) {
      const masked = await memory.units.maskOld();
      return {
        json: { masked },
        lines: [masked === 0 ? 'Nothing new was found.' : `${countOf(masked, 'turn')} masked.`],
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
          ? [style('dim', 'No turn is private or secret.')]
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
async function correct(memory: Memory, unitId: number, flags: Correction): Promise<SensitiveTurn> {
  if (flags.none) return memory.units.mask({ unitId, places: [] });
  if (flags.detect) return memory.units.mask({ unitId, places: 'detect' });
  const { mask, kind = 'password' } = flags;
  if (mask === undefined || mask === '')
    throw new MemoryError('INVALID_INPUT', 'Say what is to be corrected: --none, --mask WORDS or --detect.');
  const [unit] = await memory.units.get([unitId]);
  if (unit?.kind !== 'episode')
    throw new MemoryError('NOT_FOUND', `There is no turn with the unit ${unitId}.`);
  const { text, masks = [] } = unit.payload;
  const found = placesOf(mask, text).map((from) => ({ kind, from, to: from + mask.length }));
  if (found.length === 0)
    throw new MemoryError('INVALID_INPUT', `Unit ${unitId} does not contain ${JSON.stringify(mask)}.`);
  const others = masks.filter((old) => !found.some(({ from, to }) => from < old.to && old.from < to));
  return memory.units.mask({ unitId, places: [...others, ...found], expectedVersion: unit.version });
}

function placesOf(words: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) places.push(at);
  return places;
}

function format(
  { unitId, occurredAt, speaker, text, sensitivity, isMasked, places }: SensitiveTurn,
  timeZone: string,
) {
  const said = `${localDate(occurredAt, timeZone)} ${speaker}: ${text}`;
  const [first = '', ...rest] = wrapped(said, INDENT, MAX_LINES);
  const found = places.map((place) => `${place.kind} “${plain(place.text)}” at ${place.from}`).join(', ');
  const state = places.length === 0 ? 'nothing found' : `${isMasked ? 'masked' : 'not masked'}: ${found}`;
  const head = `${String(unitId).padStart(7)}  ${first.trimStart()}`;
  return [head, ...rest, style('dim', `${INDENT}${sensitivity}; ${state}`)];
}
