import type { Unit } from '../../../model/model.ts';
import type { SpeakerHabits } from '../../store.ts';
import type { Span } from '../../../text/text.ts';
import { perform } from '../../tables/tables.ts';
import type { Session } from '../session.ts';
import { CopiedText, type StoredText } from './copiedText.ts';
import { CopiedVectors, type StoredVectors } from './copiedVectors.ts';
import { MemoryCopy } from './memoryCopy.ts';
import { numbersOf } from './numbers.ts';
import type { CopySource } from './types.ts';

/** Reads all that a copy contains. The statements need not see the same state. */
export async function loadCopy(memory: CopySource): Promise<MemoryCopy> {
  const [units, text, stored, times, topicsOf, meanVector] = await Promise.all([
    memory.ask(async ({ shared }) => {
      const found: Unit[] = [];
      await perform(shared.reading.forEachPage((page) => void found.push(...page)));
      return found;
    }),
    memory.ask((_, session) => readText(session)),
    memory.ask((_, session) => readVectors(session)),
    memory.ask((_, session) => readTimes(session)),
    memory.ask((_, session) => readTopics(session)),
    memory.ask(({ shared }) => perform(shared.vectors.sets.mean())),
  ]);
  return new MemoryCopy({
    units,
    text: new CopiedText(text, units, memory.memory.keys),
    vectors: stored && new CopiedVectors(stored),
    times,
    topicsOf,
    meanVector,
  });
}

/** Columns of many rows in one: one text is read faster than rows. */
interface TextRow {
  readonly term_ids: string | null;
  readonly documents: string | null;
  readonly terms: string | null;
  readonly of_term: string | null;
  readonly of_unit: string | null;
  readonly times: string | null;
  readonly lengths: string | null;
  readonly all_documents: number;
  readonly all_terms: number;
}

const TEXT = `SELECT t.*, p.*, i.* FROM
  (SELECT array_agg(id)::text AS term_ids, array_agg(documents)::text AS documents, string_agg(term, '') AS terms
     FROM term WHERE memory_id = $1) t,
  (SELECT array_agg(term_id)::text AS of_term, array_agg(unit_id)::text AS of_unit, array_agg(times)::text AS times,
     array_agg(length)::text AS lengths FROM posting WHERE memory_id = $1) p,
  (SELECT coalesce(sum(documents), 0)::bigint AS all_documents, coalesce(sum(terms), 0)::bigint AS all_terms
     FROM indexed WHERE memory_id = $1) i`;

async function readText(session: Session): Promise<StoredText> {
  const [row, speakers] = await Promise.all([
    session.get<TextRow>(TEXT),
    session.all<SpeakerHabits & { name: string }>(
      'SELECT name, turns, terms, questions FROM speaker WHERE memory_id = $1 AND turns > 0',
    ),
  ]);
  return {
    terms: row?.terms ?? '',
    termIds: numbersOf(row?.term_ids),
    documents: numbersOf(row?.documents),
    postings: {
      termIds: numbersOf(row?.of_term),
      unitIds: numbersOf(row?.of_unit),
      times: numbersOf(row?.times),
      lengths: numbersOf(row?.lengths),
    },
    totals: { documents: row?.all_documents ?? 0, terms: row?.all_terms ?? 0 },
    speakers: new Map(speakers.map(({ name, ...habits }) => [session.keys.open(name), habits])),
  };
}

interface VectorsRow {
  readonly id: string;
  readonly dimensions: number;
  readonly count: number;
  readonly unit_ids: string | null;
  readonly vectors: Uint8Array | null;
}

async function readVectors(session: Session): Promise<StoredVectors | null> {
  const row = await session.get<VectorsRow>(
    `SELECT s.model AS id, s.dimensions, s.count, v.unit_ids, v.vectors FROM vector_set s CROSS JOIN LATERAL (
       SELECT array_agg(x.unit_id)::text AS unit_ids, string_agg(halfvec_send(x.embedding), '') AS vectors
       FROM unit_vector x WHERE x.memory_id = $1 AND x.set_id = s.id) v
     WHERE s.memory_id = $1 AND s.role = 'serving' AND s.count > 0`,
  );
  if (!row?.vectors) return null;
  const { id, dimensions, count, vectors } = row;
  return { model: { id, dimensions, count }, unitIds: numbersOf(row.unit_ids), bytes: vectors };
}

async function readTimes(session: Session): Promise<Map<number, Span[]>> {
  const rows = await session.all<Span & { id: number }>(
    `SELECT unit_id AS id, from_at AS "from", to_at AS "to" FROM unit_time WHERE memory_id = $1 ORDER BY 1, 2, 3`,
  );
  const times = new Map<number, Span[]>();
  for (const { id, from, to } of rows) times.set(id, [...(times.get(id) ?? []), { from, to }]);
  return times;
}

async function readTopics(session: Session): Promise<Map<number, number[]>> {
  const rows = await session.all<{ unitId: number; topicId: number }>(
    `SELECT m.unit_id AS "unitId", m.topic_id AS "topicId" FROM topic_member m
       JOIN topic t ON t.memory_id = $1 AND t.id = m.topic_id
     WHERE m.memory_id = $1 ORDER BY t.strength DESC, t.id`,
  );
  const topics = new Map<number, number[]>();
  for (const { unitId, topicId } of rows) topics.set(unitId, [...(topics.get(unitId) ?? []), topicId]);
  return topics;
}
