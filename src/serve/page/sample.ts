/** Makes an example for a schema. */
import type { JsonSchema } from '../jsonSchema.ts';

const COMPONENT = /^#\/components\/schemas\/(.+)$/;
/** Nested schemas are shown up to this depth. */
const MAX_DEPTH = 6;

export function sampleOf(
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
  depth = 0,
): unknown {
  const [, name] = COMPONENT.exec(String(schema['$ref'])) ?? [];
  if (name !== undefined)
    return depth > MAX_DEPTH ? {} : sampleOf(components[name] ?? {}, components, depth + 1);
  for (const chosen of ['default', 'const'] as const) if (chosen in schema) return schema[chosen];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [first] = (schema['anyOf'] ?? schema['oneOf'] ?? []) as JsonSchema[];
  if (first) return sampleOf(first, components, depth);
  const type = Array.isArray(schema['type']) ? (schema['type'][0] as string) : schema['type'];
  if (type === 'array') {
    // A list of fixed length has `false` for further items.
    const items = (schema['items'] || {}) as JsonSchema;
    return depth > MAX_DEPTH ? [] : [sampleOf(items, components, depth + 1)];
  }
  if (type === 'object') return sampleObject(schema, components, depth);
  return SCALARS[String(type)] ?? {};
}

const SCALARS: Readonly<Record<string, unknown>> = {
  string: '…',
  integer: 1,
  number: 0.5,
  boolean: false,
  null: null,
};

function sampleObject(
  { properties = {} }: { properties?: Readonly<Record<string, JsonSchema>> } & JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
  depth: number,
): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, part]) => [name, sampleOf(part, components, depth + 1)]),
  );
}
