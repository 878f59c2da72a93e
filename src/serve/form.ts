/** A request body as a form (`multipart/form-data`), with images as files. */
import { z } from 'zod';
import { readBytes } from './body.ts';
import type { Operation } from './operation.ts';
import { invalidFields } from './problem.ts';

const MEDIA_TYPE = 'multipart/form-data';

/** Whether the body is a form, and the operation accepts one. */
export function isForm(request: Request, { files }: Operation): boolean {
  const type = request.headers.get('content-type') ?? '';
  return files !== null && type.toLowerCase().startsWith(MEDIA_TYPE);
}

/**
 * The form converted to JSON: fields that are not text in the schema are parsed as JSON, and every file becomes an
 * item `{ base64 }` of the field for files.
 */
export async function readForm(
  request: Request,
  operation: Operation,
  limitBytes: number,
): Promise<Record<string, unknown>> {
  const form = await parseForm(request, await readBytes(request, limitBytes));
  const body: Record<string, unknown> = {};
  const files: unknown[] = [];
  for (const [name, value] of form) {
    if (typeof value !== 'string') files.push(await readFile(name, value, operation));
    else if (name === operation.files) files.push(value);
    else if (Object.hasOwn(body, name)) throw invalidField(name, 'is given twice');
    else body[name] = readField(operation, name, value);
  }
  return operation.files === null || files.length === 0 ? body : { ...body, [operation.files]: files };
}

async function parseForm(request: Request, bytes: Uint8Array<ArrayBuffer>): Promise<FormData> {
  const type = request.headers.get('content-type') ?? '';
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData();
  } catch {
    throw invalidField('', 'is not a valid form');
  }
}

async function readFile(name: string, file: Blob, { files }: Operation): Promise<{ base64: string }> {
  if (name !== files) throw invalidField(name, `does not accept a file; use “${files}” for files`);
  return { base64: Buffer.from(await file.arrayBuffer()).toString('base64') };
}

function readField({ body, aliases }: Operation, name: string, text: string): unknown {
  const shape = body instanceof z.ZodObject ? body.shape : {};
  const field = (shape as Readonly<Record<string, z.ZodType>>)[aliases[name] ?? name];
  if (!field || field.safeParse(text).success) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function invalidField(name: string, detail: string) {
  return invalidFields([{ in: 'body', pointer: name === '' ? '' : `/${name}`, detail }]);
}
