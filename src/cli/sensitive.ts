import { InvalidArgumentError } from 'commander';
import {
  localDate,
  MemoryError,
  SENSITIVE_KINDS,
  type Memory,
  type SensitiveKind,
  type SensitiveTurn,
} from '../engine/engine.ts';
import type { AddCommand } from './command.ts';
import { parseId } from './ids.ts';
import { openExisting, using } from './opening.ts';
import { parseCount } from './recallFlags.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { countOf, plain, printJson, printLines, style, wrapped } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly none?: true;
  readonly mask?: string;
  readonly kind?: SensitiveKind;
  readonly detect?: true;
  readonly limit?: number;
  readonly json?: true;
}

const DEFAULT_LIMIT = 50;
const INDENT = '         ';
const MAX_LINES = 3;

export const addSensitive: AddCommand = (program) => {
  const command = program
    .command('sensitive')
    .description('Lists turns with personal data or secrets, word for word, newest first, or corrects one.')
    .argument('[unit]', 'the unit of the turn to correct', parseId)
    .option('--none', 'nothing in it is personal or secret')
    .option('--mask <words>', 'these words in it are, too')
    .option('--kind <kind>', `what they are: ${SENSITIVE_KINDS.join(', ')} (default: password)`, parseKind)
    .option(
      '--detect',
      'mask what the rules find: in the turn, or in every turn that was added without masks',
    )
    .option('--limit <number>', `most turns (default: ${DEFAULT_LIMIT})`, parseCount)
    .option('--json', 'print the result as JSON');
  addSettings(command).action(async (unitId: number | undefined, flags: Flags) => {
    await using(await openExisting(readSettings(flags), { embeds: false }), async (memory) => {
      if (unitId !== undefined) return show([await correct(memory, unitId, flags)], memory, flags);
      if (flags.none || flags.mask !== undefined)
        throw new MemoryError('INVALID_INPUT', 'Name the unit to correct.');
      if (flags.detect) return maskOld(memory, flags);
      show(await memory.units.sensitive({ limit: flags.limit ?? DEFAULT_LIMIT }), memory, flags);
    });
  });
};

function parseKind(value: string): SensitiveKind {
  const kind = SENSITIVE_KINDS.find((one) => one === value);
  if (kind) return kind;
  throw new InvalidArgumentError(`It must be one of ${SENSITIVE_KINDS.join(', ')}.`);
}

/** @throws MemoryError INVALID_INPUT, NOT_FOUND */
async function correct(memory: Memory, unitId: number, flags: Flags): Promise<SensitiveTurn> {
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
    throw new MemoryError('INVALID_INPUT', `Unit ${unitId} does not say ${JSON.stringify(mask)}.`);
  const others = masks.filter((old) => !found.some(({ from, to }) => from < old.to && old.from < to));
  return memory.units.mask({ unitId, places: [...others, ...found], expectedVersion: unit.version });
}

function placesOf(words: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) places.push(at);
  return places;
}

async function maskOld(memory: Memory, { json }: Flags): Promise<void> {
  const masked = await memory.units.maskOld();
  if (json) printJson({ masked });
  else printLines([masked === 0 ? 'Nothing new was found.' : `${countOf(masked, 'turn')} masked.`]);
}

function show(turns: readonly SensitiveTurn[], { timeZone }: Memory, { json }: Flags): void {
  if (json)
    return printJson(turns.map((turn) => ({ ...turn, occurredAt: new Date(turn.occurredAt).toISOString() })));
  if (turns.length === 0) return printLines([style('dim', 'No turn is private or secret.')]);
  printLines(turns.flatMap((turn) => format(turn, timeZone)));
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
