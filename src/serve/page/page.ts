/** The interface as a readable page: one HTML document without external resources and scripts. */
import { createHash } from 'node:crypto';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter, OpenApiResponse } from '../openApi.ts';
import { escapeHtml, inlineMarkdown } from './html.ts';
import { sampleOf } from './sample.ts';
import { describeSchema, describeType } from './schemaHtml.ts';
import { STYLE } from './style.ts';

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

interface Entry {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

export function createPage(document: OpenApiDocument): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ path, method, operation })),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.some((own) => own === tag.name)),
  }));
  const { title, version, description } = document.info;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} ${escapeHtml(version)}: the HTTP interface</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Operations">
${groups.map(({ name, entries }) => `<h2><a href="#${name}">${name}</a></h2><ul>${entries.map(formatLink).join('')}</ul>`).join('\n')}
<h2><a href="#shapes">shapes</a></h2>
</nav>
<main>
<h1>${title} ${escapeHtml(version)}</h1>
<p>${inlineMarkdown(description)}</p>
<p>The same as a document for programs: <a href="/openapi.json">openapi.json</a>. In the examples <code>OMOIDE_URL</code> is the address of
this server and <code>OMOIDE_TOKEN</code> a token.</p>
${groups.map((group) => formatGroup(group, document)).join('\n')}
<section><h2 id="shapes">shapes</h2>
${Object.entries(document.components.schemas)
  .map(([name, schema]) => `<article><h3 id="shape-${name}">${name}</h3>${describeSchema(schema)}</article>`)
  .join('\n')}
</section>
</main>
</body>
</html>
`;
}

function formatLink({ method, path, operation }: Entry): string {
  return `<li><a href="#${operation.operationId}" title="${method.toUpperCase()} ${escapeHtml(path)}">${operation.operationId}</a></li>`;
}

function formatGroup(
  { name, description, entries }: { name: string; description: string; entries: readonly Entry[] },
  document: OpenApiDocument,
): string {
  return `<section><h2 id="${name}">${name}</h2><p>${inlineMarkdown(description)}</p>
${entries.map((entry) => formatEntry(entry, document)).join('\n')}
</section>`;
}

function formatEntry(entry: Entry, document: OpenApiDocument): string {
  const { method, path, operation } = entry;
  const isOpen = operation.security?.length === 0;
  const body = operation.requestBody;
  const [mediaType, content] = Object.entries(body?.content ?? {})[0] ?? [];
  return `<article>
<h3 id="${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></h3>
<p>${inlineMarkdown(operation.summary)}${isOpen ? ' <em>No token required.</em>' : ''}</p>
${operation.description ? `<p>${inlineMarkdown(operation.description)}</p>` : ''}
${operation.parameters.length > 0 ? formatParameters(operation.parameters) : ''}
${content ? `<h4>Body</h4><p><code>${mediaType}</code>${body?.required ? '' : ', optional'}</p>${describeSchema(content.schema)}` : ''}
${content?.example === undefined ? '' : formatCode(JSON.stringify(content.example, null, 2))}
<h4>Answers</h4>
${Object.entries(operation.responses)
  .map(([status, response]) => formatResponse(status, response, document))
  .join('\n')}
<h4>Example</h4>
${formatCode(formatCurl(entry))}
</article>`;
}

function formatParameters(parameters: readonly OpenApiParameter[]): string {
  const rows = parameters.map(
    ({ name, in: from, required, description, schema }) =>
      `<tr><th scope="row"><code>${name}</code></th><td>${from}${required ? ', required' : ''}</td><td>${describeType(schema)}</td>` +
      `<td>${description === undefined ? '' : inlineMarkdown(description)}</td></tr>`,
  );
  return `<h4>Parameters</h4><table>${rows.join('')}</table>`;
}

function formatResponse(status: string, response: OpenApiResponse, document: OpenApiDocument): string {
  const isProblem = Number(status) >= 400;
  const paragraphs = response.description.split('\n\n').map((part) => `<p>${inlineMarkdown(part)}</p>`);
  if (isProblem) return `<details><summary>${status}</summary>${paragraphs.join('')}</details>`;
  const contents = Object.entries(response.content ?? {}).map(
    ([mediaType, { schema, 'x-events': events }]) => {
      const parts = [`<p><code>${mediaType}</code></p>`];
      if (events) parts.push(formatEvents(events as Record<string, Record<string, unknown>>));
      else if (mediaType === 'application/json') {
        const sample = sampleOf(schema, document.components.schemas);
        parts.push(describeSchema(schema), formatCode(JSON.stringify(sample, null, 2)));
      }
      return parts.join('');
    },
  );
  return `<details open><summary>${status}</summary>${paragraphs.join('')}${contents.join('')}</details>`;
}

function formatEvents(events: Readonly<Record<string, Record<string, unknown>>>): string {
  const rows = Object.entries(events).map(
    ([name, schema]) => `<tr><th scope="row"><code>${name}</code></th><td>${describeType(schema)}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

const PLACES: Readonly<Record<string, string>> = {
  memoryId: 'default',
  conversationId: 'c1',
  unitId: '1',
  entityId: '1',
  jobId: '1',
};

function formatCurl({ method, path, operation }: Entry): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PLACES[name] ?? name);
  const [mediaType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const isStream = Object.keys(operation.responses['200']?.content ?? {}).some(
    (type) => type === 'text/event-stream',
  );
  const lines = [`curl ${isStream ? '-N ' : ''}"$OMOIDE_URL${address}"`];
  if (method !== 'get' && !(method === 'post' && content)) lines.push(`-X ${method.toUpperCase()}`);
  if (operation.security?.length !== 0) lines.push('-H "Authorization: Bearer $OMOIDE_TOKEN"');
  if (mediaType !== undefined && (content?.example !== undefined || mediaType !== 'application/json')) {
    lines.push(`-H "Content-Type: ${mediaType}"`);
    const body =
      content?.example === undefined ? '@export.jsonl' : shellQuote(JSON.stringify(content.example));
    lines.push(`${content?.example === undefined ? '--data-binary' : '-d'} ${body}`);
  }
  return lines.join(' \\\n  ');
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function formatCode(text: string): string {
  return `<pre><code>${escapeHtml(text)}</code></pre>`;
}
