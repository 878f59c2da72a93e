/** The scripted model of the simulated weeks: it extracts tasks, and can be down, slow, or send invalid replies. */
import { promptText, schemaName, type Answer, type ScriptedReply } from '../scriptedModel/scriptedModel.ts';
import { namesIn } from './talk.ts';

export type Weather = 'fine' | 'down' | 'slow' | 'garbage';

type Body = Record<string, unknown>;

const SLOW_MS = 300;

/** @param onRequest called with the purpose of each request and the current fault */
export function createAnswer(
  weather: () => Weather,
  onRequest: (schema: string | null, weather: Weather) => void,
): Answer {
  return (body): ScriptedReply => {
    const now = weather();
    onRequest(schemaName(body), now);
    if (now === 'down') return { status: 503, body: { error: { message: 'down' } } };
    const name = schemaName(body);
    const delay = now === 'slow' ? { delayMs: SLOW_MS } : {};
    if (name === null) return { ...delay, text: replyTo(promptText(body)) };
    if (now === 'garbage') return { ...delay, text: 'Sure! Here is everything you asked for: {{{' };
    const forms: Readonly<Record<string, (body: Body) => unknown>> = { learnt, summaries };
    return { ...delay, json: (forms[name] ?? ((of) => filled(schemaOf(of))))(body) };
  };
}

function replyTo(prompt: string): string {
  const last = prompt.split('\n\n').at(-1) ?? '';
  if (/[ぁ-ん]/.test(last)) return 'そうなんだね、聞かせてくれてありがとう。';
  return /\p{Script=Han}/u.test(last) ? '原来如此，谢谢你告诉我。' : 'I see, thank you for telling me.';
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
}

function schemaOf(body: Record<string, unknown>): Schema {
  const format = body['response_format'] as { json_schema?: { schema?: Schema } } | undefined;
  return format?.json_schema?.schema ?? {};
}

/** The smallest value that matches a schema. */
function filled(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf)
    return schema.anyOf.some(({ type }) => type === 'null') ? null : filled(schema.anyOf[0] ?? {});
  if (schema.properties)
    return Object.fromEntries(Object.entries(schema.properties).map(([name, part]) => [name, filled(part)]));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'array') return [];
  if (type === 'number' || type === 'integer') return Math.max(0, schema.minimum ?? 0);
  return type === 'boolean' ? false : '';
}

const TURN =
  /^#(?<number>\d+) (?<date>\d{4}-\d{2}-\d{2}) \(\w+\) \d{2}:\d{2} (?<speaker>\w+): (?<text>.*)$/gm;
const DUTY = /(?:明日の|我明天|tomorrow at )(?<hour>\d{1,2})(?:時|点|:)(?<minute>\d{1,2})/;

/** A summary for every number. */
function summaries(body: Body): unknown {
  const numbers = [...promptText(body).matchAll(/^#(\d+) /gm)].map(([, number]) => Number(number));
  const text = 'Everyday talk about people, places and hobbies.';
  return { summaries: numbers.map((number) => ({ number, text, highlights: [], mood: null })) };
}

/** For every turn its reflection, entities, and a task for tomorrow. */
function learnt(body: Body): unknown {
  const least = filled(schemaOf(body)) as Record<string, unknown>;
  const turns = [...promptText(body).matchAll(TURN)].map(({ groups = {} }) => groups);
  const reflection = partOf(body, 'reflections');
  return {
    ...least,
    ...(reflection && {
      reflections: turns.map(({ number, text = '' }) => ({
        ...(filled(reflection) as object),
        turn: Number(number),
        topics: namesIn(text).things,
        salience: 0.4,
      })),
    }),
    ...('entities' in least && { entities: entitiesOf(turns.map(({ text = '' }) => text).join('\n')) }),
    ...('loops' in least && { loops: turns.flatMap(loopOf) }),
  };
}

function partOf(body: Body, name: string): Schema | undefined {
  return (schemaOf(body).properties?.[name] as { items?: Schema } | undefined)?.items;
}

function entitiesOf(text: string): unknown[] {
  const { people, places } = namesIn(text);
  const entity = (type: string) => (name: string) => ({
    known: null,
    name,
    type,
    aliases: [],
    surface: name,
    confidence: 0.9,
  });
  return [...people.map(entity('person')), ...places.map(entity('place'))];
}

function loopOf({ date = '', speaker, text = '' }: Partial<Record<string, string>>): unknown[] {
  const { hour, minute } = DUTY.exec(text)?.groups ?? {};
  if (speaker !== 'user' || hour === undefined || minute === undefined) return [];
  const tomorrow = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
  const due = `${tomorrow}T${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  return [{ text, due, confidence: 0.9, quote: text }];
}
