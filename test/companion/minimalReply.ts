/** The used parts of the JSON schema of a structured reply. */
interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly minimum?: number;
}

/** The smallest valid structured reply; null when the request asks for none. */
export function minimalReply(body: Readonly<Record<string, unknown>>): { readonly json: unknown } | null {
  const format = body['response_format'] as { json_schema?: { schema: JsonSchema } } | undefined;
  return format?.json_schema ? { json: minimalValue(format.json_schema.schema) } : null;
}

/** Empty lists, the first choice, the smallest number. */
function minimalValue(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf)
    return minimalValue(schema.anyOf.find(({ type }) => type === 'null') ?? schema.anyOf[0] ?? {});
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, part]) => [key, minimalValue(part)]),
      );
    case 'array':
      return [];
    case 'string':
      return '-';
    case 'number':
    case 'integer':
      return Math.max(0, schema.minimum ?? 0);
    case 'boolean':
      return false;
    default:
      return null;
  }
}
