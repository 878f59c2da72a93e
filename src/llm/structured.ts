/** Constrains a reply to a schema, and parses it. */
import { z } from 'zod';
import { isRecord, parseJson } from '../model/model.ts';
import { withoutThinking } from './thinking.ts';

/** The required form of a reply. */
export interface ReplyForm<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly schema: Schema;
  /** The schema that servers and models get. It is weaker than the check of the reply: see `soften`. */
  readonly jsonSchema: JsonObject;
  /** Whether every property is required; OpenAI's strict mode accepts only such schemas. */
  readonly isStrict: boolean;
}

type Json = null | boolean | number | string | Json[] | JsonObject;
interface JsonObject {
  [key: string]: Json;
}

/** A cache of converted schemas. */
const written = new WeakMap<z.ZodType, JsonObject>();

export function replyForm<Schema extends z.ZodType>(name: string, schema: Schema): ReplyForm<Schema> {
  const jsonSchema = written.get(schema) ?? writeSchema(schema);
  written.set(schema, jsonSchema);
  return { name, schema, jsonSchema, isStrict: isStrict(jsonSchema) };
}

function writeSchema(schema: z.ZodType): JsonObject {
  const full = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  return softenObject(full as JsonObject);
}

/** The instruction for a model whose server does not enforce the schema. */
export function formInWords({ jsonSchema }: ReplyForm): string {
  return `Reply with JSON only, without explanation and without a code fence, that fits this JSON schema:\n${JSON.stringify(jsonSchema)}`;
}

/** The message after a reply that does not fit. */
export function askAgain(form: ReplyForm, problem: string): string {
  return `That reply cannot be used. ${problem}\n\nGive the same answer again, put right. ${formInWords(form)}`;
}

export type ReadReply<Schema extends z.ZodType> =
  | { readonly value: z.output<Schema>; readonly problem?: never }
  | { readonly problem: string; readonly value?: never };

/** Extracts the value from a reply, which may also contain thoughts, text and code fences. */
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

/** The JSON values that the text may contain, the most likely first. */
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
    yield parseJson(text);
  } catch {
    // Another part of the text may be JSON.
  }
}

/** Limits that many servers reject or apply incorrectly; they are checked when the reply is read. */
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

/** The schema with only those keywords that all servers support. */
function soften(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(soften);
  return isObject(schema) ? softenObject(schema) : schema;
}

function softenObject(schema: JsonObject): JsonObject {
  const soft: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (UNSURE_KEYWORDS.has(key) || isBoundOfNumbers(key, value)) continue;
    if (key === 'properties' && isObject(value)) soft[key] = softenEach(value);
    else if (key === 'const' || key === 'enum' || key === 'required') soft[key] = value;
    else soft[key === 'oneOf' ? 'anyOf' : key] = soften(value);
  }
  if (schema['type'] === 'object') soft['additionalProperties'] ??= false;
  return soft;
}

/** Names of properties are not keywords. */
function softenEach(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, soften(value)]));
}

/** Whether it only states the range of JavaScript's numbers. */
function isBoundOfNumbers(key: string, value: Json): boolean {
  return (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

function isStrict(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isObject(schema)) return true;
  const { properties = {}, required = [], additionalProperties = false } = schema;
  if (additionalProperties !== false || 'allOf' in schema || 'prefixItems' in schema) return false;
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = isObject(properties) ? Object.keys(properties) : [];
  return names.every((name) => needed.has(name)) && Object.values(schema).every(isStrict);
}

function isObject(schema: Json): schema is JsonObject {
  return isRecord(schema);
}
