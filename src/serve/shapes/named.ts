/** Schemas with names: each is listed once in the OpenAPI document. */
import { z } from 'zod';

/** Names of schemas, in addition to the metadata of the global registry. */
class NameRegistry extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  override get(schema: z.core.$ZodType): z.core.GlobalMeta {
    return { ...z.globalRegistry.get(schema), ...super.get(schema) };
  }
}

export const NAMED = new NameRegistry();

export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  NAMED.add(schema, { id });
  return schema;
}

/** The same schema, with descriptions of its fields. */
export function withDescriptions<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodObject<Shape>,
  words: { readonly [Field in keyof Shape]?: string },
): z.ZodObject<Shape> {
  const fields = Object.entries<string | undefined>(words).map(([name, text]) => [
    name,
    (schema.shape[name] as z.ZodType).describe(text ?? ''),
  ]);
  return schema.extend(Object.fromEntries(fields));
}

/** A schema for the more important members of a type that the engine defines. */
export function typed<T>(schema: z.ZodType): z.ZodType<T> {
  return schema as z.ZodType<T>;
}

export const INSTANT = 'Milliseconds since 1970-01-01T00:00Z.';
export const instant = z.int().describe(INSTANT);
export const id = z.int().positive();
export const count = z.int().min(0);
