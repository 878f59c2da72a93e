/** Reads the body, query and path of a request, each checked by its schema. */
import { z } from 'zod';
import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../model/model.ts';
import { invalidFields, Problem, type FieldError } from './problem.ts';

/**
 * The body as JSON; undefined when there is none.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, INVALID_JSON
 */
export async function readJson(request: Request, limitBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, limitBytes);
  if (bytes.length === 0) return undefined;
  checkMediaType(request, 'application/json');
  const text = decodeJson(bytes);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the body, which may contain a key.
    throw new Problem('INVALID_JSON');
  }
}

/**
 * The text of a body that is to be parsed as JSON.
 * @throws Problem BODY_TOO_LARGE, INVALID_JSON when it is not UTF-8 or nested too deeply
 */
export async function readJsonText(request: Request, limitBytes: number): Promise<string> {
  return decodeJson(await readBytes(request, limitBytes));
}

function decodeJson(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (!isNestedTooDeeply(text)) return text;
  throw new Problem(
    'INVALID_JSON',
    `Values in the body may be nested at most ${MAX_JSON_DEPTH} levels deep.`,
  );
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('INVALID_JSON');
  }
}

/** @throws Problem UNSUPPORTED_MEDIA_TYPE */
export function checkMediaType(request: Request, wanted: string): void {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  const isWanted = type.trim().toLowerCase() === wanted;
  const isPlain = ['', 'identity'].includes(request.headers.get('content-encoding') ?? '');
  if (isWanted && isPlain) return;
  throw new Problem('UNSUPPORTED_MEDIA_TYPE', `The body must be ${wanted}, not compressed.`);
}

/** @throws Problem BODY_TOO_LARGE */
export async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () => new Problem('BODY_TOO_LARGE', `The body may have at most ${limitBytes} bytes.`);
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > limitBytes) throw tooLarge();
  // The server limits the body to the declared length; reading it like this avoids creating a stream.
  if (declared >= 0) return new Uint8Array(await request.arrayBuffer());
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request.body ?? []) {
    length += part.length;
    if (length > limitBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A body with aliases replaced by the names in its schema; existing fields are kept. */
export function renamed(body: unknown, aliases: Readonly<Record<string, string>>): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const entries = Object.entries(body).map(([name, value]) => {
    const own = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
    return own === undefined || Object.hasOwn(body, own) ? [name, value] : [own, value];
  });
  return Object.fromEntries(entries);
}

/** @throws Problem INVALID_INPUT naming every invalid field */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  from: FieldError['in'],
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidFields(
    parsed.error.issues.map(({ path, message }) => ({ in: from, pointer: toPointer(path), detail: message })),
  );
}

function toPointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * Converts the parameters of a query or path to the types of their schema: numbers, booleans, lists
 * (`kinds=fact,loop`, or `kinds` twice). Values that cannot be converted are rejected by the schema.
 * @throws Problem INVALID_INPUT
 */
export function checkText<Schema extends z.ZodObject>(
  schema: Schema,
  entries: Iterable<readonly [string, string]>,
  from: 'query' | 'path',
): z.output<Schema> {
  const given = Map.groupBy(entries, ([name]) => name);
  const values = [...given].map(([name, pairs]) => {
    const field = schema.shape[name] as z.ZodType | undefined;
    const texts = pairs.map(([, text]) => text);
    return [name, field ? readTexts(field, texts, name) : texts];
  });
  return check(schema, Object.fromEntries(values), from);
}

function readTexts(field: z.ZodType, texts: readonly string[], name: string): unknown {
  const inner = unwrapOptional(field);
  if (inner instanceof z.ZodArray) {
    const items = texts.flatMap((text) => text.split(','));
    return items.map((text) => readText(unwrapOptional(inner.element as z.ZodType), text));
  }
  if (texts.length > 1) throw invalidFields([{ in: 'query', pointer: `/${name}`, detail: 'is given twice' }]);
  return readText(inner, texts[0] ?? '');
}

function readText(schema: z.ZodType, text: string): unknown {
  if (schema instanceof z.ZodNumber) return text.trim() === '' ? text : Number(text);
  if (schema instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

function unwrapOptional(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return unwrapOptional(schema.unwrap() as z.ZodType);
  return schema;
}
