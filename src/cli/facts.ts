import { localDate, type FactPeriod, type Memory, type UnitOf } from '../engine/engine.ts';
import type { AddCommand } from './command.ts';
import { parseId } from './ids.ts';
import { openExisting, using } from './opening.ts';
import { parseCount } from './recallFlags.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { formatInstant, plain, printJson, printLines, style, wrapped } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly limit?: number;
  readonly json?: true;
}

const DEFAULT_LIMIT = 50;
const INDENT = '         ';
const MAX_EVIDENCE_LINES = 2;

export const addFacts: AddCommand = (program) => {
  const command = program
    .command('facts')
    .description('Lists the facts that are true now, newest first, or shows the history of one fact.')
    .argument('[id]', 'show the history of this fact', parseId)
    .option('--limit <number>', `maximum number of facts (default: ${DEFAULT_LIMIT})`, parseCount)
    .option('--json', 'print the result as JSON');
  addSettings(command).action(async (id: number | undefined, flags: Flags) => {
    await using(await openExisting(readSettings(flags), { embeds: false }), (memory) =>
      id === undefined ? list(memory, flags) : tellHistory(memory, id, flags),
    );
  });
};

async function list(memory: Memory, { limit = DEFAULT_LIMIT, json }: Flags): Promise<void> {
  const facts = await readCurrent(memory, limit);
  if (json) return printJson(facts.map(factToJson));
  printLines(
    facts.length === 0
      ? [style('dim', 'No facts are known yet.')]
      : facts.flatMap(({ id, occurredAt, payload: { subject, predicate, object } }) =>
          formatStatement(
            id,
            localDate(occurredAt, memory.timeZone),
            `${subject} — ${predicate} — ${object}`,
          ),
        ),
  );
}

/** Facts that are true now; the store cannot filter by the content of units. */
async function readCurrent(memory: Memory, limit: number): Promise<UnitOf<'fact'>[]> {
  const facts: UnitOf<'fact'>[] = [];
  for (let after: { occurredAt: number; unitId: number } | undefined; ;) {
    const units = await memory.units.list({ kinds: ['fact'] }, { limit: PAGE, ...(after && { after }) });
    const last = units.at(-1);
    for (const unit of units) {
      if (unit.kind === 'fact' && (unit.payload.validTo ?? Infinity) > Date.now()) facts.push(unit);
    }
    if (facts.length >= limit || units.length < PAGE || !last) return facts.slice(0, limit);
    after = { occurredAt: last.occurredAt, unitId: last.id };
  }
}

const PAGE = 200;

async function tellHistory(memory: Memory, id: number, { json }: Flags): Promise<void> {
  const periods = await memory.facts.history(id);
  if (json) return printJson(periods.map(periodToJson));
  printLines(periods.flatMap((period) => formatPeriod(period, memory.timeZone)));
}

function formatPeriod(period: FactPeriod, timeZone: string): string[] {
  const { unitId, subject, predicate, object, validFrom, validTo, toldAt, state, evidence } = period;
  const from = localDate(validFrom ?? toldAt, timeZone);
  const until = validTo === null ? 'on' : `until ${localDate(validTo, timeZone)}`;
  const laidAside = state === 'archived' ? style('dim', ' (archived)') : '';
  const [head = '', ...rest] = formatStatement(
    unitId,
    `${validFrom === null ? 'told ' : ''}${from} ${until}`,
    `${subject} — ${predicate} — ${object}`,
  );
  const told = evidence.flatMap(({ speaker, text, occurredAt }) =>
    wrapped(`${localDate(occurredAt, timeZone)} ${speaker}: ${text}`, `${INDENT}  `, MAX_EVIDENCE_LINES),
  );
  return [head + laidAside, ...rest, ...told.map((line) => style('dim', line))];
}

function formatStatement(id: number, when: string, statement: string): string[] {
  const [first = '', ...rest] = wrapped(statement, INDENT);
  return [`${String(id).padStart(7)}  ${first.trimStart()}  ${style('dim', plain(when))}`, ...rest];
}

function factToJson({ id, occurredAt, confidence, payload }: UnitOf<'fact'>) {
  const { subject, predicate, object, validFrom, validTo } = payload;
  return {
    unitId: id,
    subject,
    predicate,
    object,
    toldAt: formatInstant(occurredAt),
    validFrom: instantOrNull(validFrom),
    validTo: instantOrNull(validTo),
    confidence,
  };
}

function periodToJson({ toldAt, validFrom, validTo, evidence, ...period }: FactPeriod) {
  return {
    ...period,
    toldAt: formatInstant(toldAt),
    validFrom: instantOrNull(validFrom),
    validTo: instantOrNull(validTo),
    evidence: evidence.map((turn) => ({ ...turn, occurredAt: formatInstant(turn.occurredAt) })),
  };
}

function instantOrNull(at: number | null): string | null {
  return at === null ? null : formatInstant(at);
}
