import { localDate, type FactPeriod, type Memory, type UnitOf } from '../engine/engine.ts';
import { argument, flag, JSON_FLAG } from './command.ts';
import { addMemoryCommand } from './settingsCommand.ts';
import { plain, style, withInstants, wrapped } from './terminal.ts';
import { parseCount, parseId } from './values.ts';

const DEFAULT_LIMIT = 50;
const INDENT = '         ';
const MAX_EVIDENCE_LINES = 2;

export const addFacts = addMemoryCommand({
  name: 'facts',
  about: 'Lists the facts that are true now, newest first, or shows the history of one fact.',
  args: [argument('[id]', 'show the history of this fact', { parse: parseId })],
  flags: [
    flag('--limit <number>', `maximum number of facts (default: ${DEFAULT_LIMIT})`, { parse: parseCount }),
    JSON_FLAG,
  ],
  async run({ memory, args: [id], flags }) {
    const { timeZone } = memory;
    if (id !== undefined) {
      const periods = await memory.facts.history(id);
      const lines = periods.flatMap((period) => formatPeriod(period, timeZone));
      return { json: periods.map(periodToJson), lines };
    }
    const facts = await readCurrent(memory, flags.limit ?? DEFAULT_LIMIT);
    const lines = facts.flatMap((fact) =>
      formatStatement(fact.id, localDate(fact.occurredAt, timeZone), fact.payload),
    );
    return {
      json: facts.map(factToJson),
      lines: facts.length === 0 ? [style('dim', 'No facts are known yet.')] : lines,
    };
  },
});

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

function formatPeriod(period: FactPeriod, timeZone: string): string[] {
  const { unitId, validFrom, validTo, toldAt, state, evidence } = period;
  const from = localDate(validFrom ?? toldAt, timeZone);
  const until = validTo === null ? 'on' : `until ${localDate(validTo, timeZone)}`;
  const archivedMark = state === 'archived' ? style('dim', ' (archived)') : '';
  const [head = '', ...rest] = formatStatement(
    unitId,
    `${validFrom === null ? 'told ' : ''}${from} ${until}`,
    period,
  );
  const told = evidence.flatMap(({ speaker, text, occurredAt }) =>
    wrapped(`${localDate(occurredAt, timeZone)} ${speaker}: ${text}`, `${INDENT}  `, MAX_EVIDENCE_LINES),
  );
  return [head + archivedMark, ...rest, ...told.map((line) => style('dim', line))];
}

function formatStatement(
  id: number,
  when: string,
  { subject, predicate, object }: Pick<FactPeriod, 'subject' | 'predicate' | 'object'>,
): string[] {
  const [first = '', ...rest] = wrapped(`${subject} — ${predicate} — ${object}`, INDENT);
  return [`${String(id).padStart(7)}  ${first.trimStart()}  ${style('dim', plain(when))}`, ...rest];
}

function factToJson({ id, occurredAt, confidence, payload }: UnitOf<'fact'>): object {
  const { subject, predicate, object, validFrom, validTo } = payload;
  const fact = { unitId: id, subject, predicate, object, toldAt: occurredAt, validFrom, validTo, confidence };
  return withInstants(fact, 'toldAt', 'validFrom', 'validTo');
}

function periodToJson(period: FactPeriod): object {
  return {
    ...withInstants(period, 'toldAt', 'validFrom', 'validTo'),
    evidence: period.evidence.map((turn) => withInstants(turn, 'occurredAt')),
  };
}
