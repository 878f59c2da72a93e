/** Converts zod schemas to JSON Schema for OpenAPI: named schemas are listed once, among the components. */
import { z } from 'zod';
import { NAMED } from './shapes/shapes.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;
type Io = 'input' | 'output';

const COMPONENTS = '#/components/schemas/';
const ANY_JSON = 'Json';

/** Collects the named schemas that are used. */
export class SchemaCollection {
  readonly #components = new Map<string, JsonSchema>();
  /** Names used for output schemas: an input schema with the same name gets another one. */
  readonly #answered = new Set<string>();

  /** @param answers all output schemas */
  constructor(answers: Iterable<z.ZodType>) {
    for (const schema of answers) {
      for (const id of Object.keys(toJsonSchema(schema, 'output').definitions)) this.#answered.add(id);
    }
  }

  /** In alphabetical order. */
  get components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The schema of an input: fields with a default are optional. */
  input(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'input');
  }

  output(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'output');
  }

  #convert(schema: z.ZodType, io: Io): JsonSchema {
    const { root, definitions } = toJsonSchema(schema, io);
    const nameOf = (id: string) => {
      if (isAnonymous(id)) return ANY_JSON;
      return io === 'input' && this.#answered.has(id) ? `${id}Input` : id;
    };
    for (const [id, definition] of Object.entries(definitions)) {
      this.#components.set(nameOf(id), rename(definition, nameOf) as JsonSchema);
    }
    return rename(root, nameOf) as JsonSchema;
  }
}

/** The only recursive schema without a name is that of any JSON value. */
function isAnonymous(id: string): boolean {
  return id.startsWith('__schema');
}

function toJsonSchema(
  schema: z.ZodType,
  io: Io,
): { root: JsonSchema; definitions: Readonly<Record<string, JsonSchema>> } {
  const converted = z.toJSONSchema(schema, {
    io,
    metadata: NAMED,
    unrepresentable: ({ zodSchema }) =>
      zodSchema instanceof z.ZodDate ? { type: 'string', format: 'date-time' } : {},
    override: ({ jsonSchema }) => dropSafeIntegers(jsonSchema),
  });
  const { $schema: _, $defs: definitions = {}, ...root } = converted;
  return { root, definitions };
}

/** Removes the bounds of safe integers. */
function dropSafeIntegers(schema: Record<string, unknown>): void {
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
}

function rename(value: unknown, nameOf: (id: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) =>
    key === '$ref' && typeof part === 'string'
      ? [key, COMPONENTS + nameOf(part.replace('#/$defs/', ''))]
      : [key, rename(part, nameOf)],
  );
  return Object.fromEntries(entries) as unknown;
}
