/** How a reply is held to a schema, and how it is read. */
import { z } from 'zod';
import { withoutThinking } from './thinking.ts';

/** The form a reply is to have. */
export interface ReplyForm<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly schema: Schema;
  /** What servers and models are told of it, which is less than what the reply is held to: see `soften`. */
  readonly jsonSchema: JsonObject;
  /** Whether every property is required, without which OpenAI's strict mode takes no schema. */
  readonly isStrict: boolean;
}

type Json = null | boolean | number | string | Json[] | JsonObject;
interface JsonObject {
  [key: string]: Json;
}

/** Of schemas that were asked for before. */
const written = new WeakMap<z.ZodType, JsonObject>();

export function replyForm<Schema extends z.ZodType>(name: string, schema: Schema): ReplyForm<Schema> {
  const jsonSchema = written.get(schema) ?? writeSchema(schema);
  written.set(schema, jsonSchema);
  return { name, schema, jsonSchema, isStrict: isStrict(jsonSchema) };
}

function writeSchema(schema: z.ZodType): JsonObject {
  const full = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  return soften(full as JsonObject) as JsonObject;
}

/** What is said to a model whose server does not hold it to the schema. */
export function formInWords({ jsonSchema }: ReplyForm): string {
  return `Reply with JSON only, without explanation and without a code fence, that fits this JSON schema:\n${JSON.stringify(jsonSchema)}`;
}

/** What is said of a reply that is not of the form. */
export function askAgain(form: ReplyForm, problem: string): string {
  return `That reply cannot be used. ${problem}\n\nGive the same answer again, put right. ${formInWords(form)}`;
}

export type ReadReply<Schema extends z.ZodType> =
  | { readonly value: z.output<Schema>; readonly problem?: never }
  | { readonly problem: string; readonly value?: never };

/** The value of the form in a reply, which may stand among thoughts, words and code fences. */
export function readReply<Schema extends z.ZodType>(
  reply: string,
  { schema }: ReplyForm<Schema>,
): ReadReply<Schema> {
  let problem: string | undefined;
  for (const json of jsonIn(withoutThinking(reply).trim())) {
    const { data, error } = schema.safeParse(json);
    if (error === undefined) return { value: data };
    problem ??= `It is not of the form asked for:\n${z.prettifyError(error)}`;
  }
  return { problem: problem ?? 'It holds no valid JSON.' };
}

/** The values that the text is or holds, the likelier first. */
function* jsonIn(text: string): Generator {
  yield* parsed(text);
  for (const [, fenced = ''] of text.matchAll(/```\w*\s*\n?([\s\S]*?)```/g)) yield* parsed(fenced);
  for (const [opening, closing] of ['{}', '[]'].map((pair) => [pair[0] ?? '', pair[1] ?? ''] as const)) {
    const from = text.indexOf(opening);
    const to = text.lastIndexOf(closing);
    if (from !== -1 && to > from) yield* parsed(text.slice(from, to + 1));
  }
}

function* parsed(text: string): Generator {
  try {
    yield JSON.parse(text) as unknown;
  } catch {
    // Another part of the text may be JSON.
  }
}

/** Limits that many servers reject or apply incorrectly; the reply is held to them when it is read. */
const UNSURE_KEYWORDS = new Set([
  '$schema',
  'default',
  'format',
  'maxLength',
  'minLength',
  'pattern',
  'propertyNames',
  'uniqueItems',
]);

/** The schema in the words that the servers have in common. */
function soften(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(soften);
  if (schema === null || typeof schema !== 'object') return schema;
  const soft: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (UNSURE_KEYWORDS.has(key) || isBoundOfNumbers(key, value)) continue;
    if (key === 'properties') soft[key] = softenEach(value as JsonObject);
    else if (key === 'const' || key === 'enum' || key === 'required') soft[key] = value;
    else soft[key === 'oneOf' ? 'anyOf' : key] = soften(value);
  }
  if (schema['type'] === 'object') soft['additionalProperties'] ??= false;
  return soft;
}

/** Names of properties are no keywords. */
function softenEach(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, soften(value)]));
}

/** Says nothing but that it is a number of JavaScript. */
function isBoundOfNumbers(key: string, value: Json): boolean {
  return (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

function isStrict(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (schema === null || typeof schema !== 'object') return true;
  const { properties = {}, required = [], additionalProperties = false } = schema;
  if (additionalProperties !== false || 'allOf' in schema || 'prefixItems' in schema) return false;
  const names = Object.keys(properties as JsonObject);
  return (
    names.every((name) => (required as string[]).includes(name)) && Object.values(schema).every(isStrict)
  );
}
