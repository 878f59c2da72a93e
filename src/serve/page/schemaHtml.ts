/** Describes schemas in HTML. */
import type { JsonSchema } from '../jsonSchema.ts';
import { escapeHtml, inlineMarkdown } from './html.ts';

const COMPONENT = /^#\/components\/schemas\/(.+)$/;

/** Describes a value: a table of its members, or one line. */
export function describeSchema(schema: JsonSchema): string {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  if (properties.length === 0) return `<p>${describeType(schema)}</p>`;
  const required = new Set((schema['required'] ?? []) as string[]);
  const rows = properties.map(([name, part]) => {
    const note = typeof part['description'] === 'string' ? inlineMarkdown(part['description']) : '';
    const fallback =
      'default' in part ? ` Default <code>${escapeHtml(JSON.stringify(part['default']))}</code>.` : '';
    return (
      `<tr><th scope="row"><code>${escapeHtml(name)}</code></th><td>${required.has(name) ? '' : 'optional'}</td>` +
      `<td>${describeType(part)}</td><td>${note}${fallback}</td></tr>`
    );
  });
  return `<table>${rows.join('')}</table>`;
}

/** The same within a line, with a separate table for an object without a name. */
export function describeType(schema: JsonSchema): string {
  const [, name] = COMPONENT.exec(String(schema['$ref'])) ?? [];
  if (name !== undefined) return `<a href="#shape-${name}">${escapeHtml(name)}</a>`;
  if ('const' in schema) return `<code>${escapeHtml(JSON.stringify(schema['const']))}</code>`;
  if (Array.isArray(schema['enum'])) {
    return schema['enum'].map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' or ');
  }
  const either = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined;
  if (either) return either.map(describeType).join(' or ');
  const types = [schema['type'] ?? 'anything'].flat() as string[];
  return types.map((type) => describeOne(type, schema)).join(' or ');
}

function describeOne(type: string, schema: JsonSchema): string {
  if (type === 'array') return `list of ${describeType((schema['items'] || {}) as JsonSchema)}`;
  if (type === 'object') {
    if (schema['properties'] && Object.keys(schema['properties']).length > 0) return describeSchema(schema);
    const values = schema['additionalProperties'];
    return typeof values === 'object' ? `object of ${describeType(values as JsonSchema)}` : 'object';
  }
  return [type, ...limits(schema)].join(', ');
}

function limits(schema: JsonSchema): string[] {
  const say = (words: string, key: string) =>
    key in schema ? [`${words} ${escapeHtml(String(schema[key]))}`] : [];
  return [
    ...say('≥', 'minimum'),
    ...say('&gt;', 'exclusiveMinimum'),
    ...say('≤', 'maximum'),
    ...say('at least', 'minLength'),
    ...say('at most', 'maxLength'),
    ...say('of the form', 'format'),
  ];
}
