// Writes docs/api.md from the types of the package's entry: every public member with its signature and its comment.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { API, type Checker, type Project, type Symbol } from 'typescript/unstable/sync';
import { isFunctionDeclaration, type Node } from 'typescript/unstable/ast';
import { ERROR_CODES } from '../src/index.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = `${ROOT}docs/api.md`;
const ALIAS = 1 << 21;
const NO_TRUNCATION = 1;
const IN_TYPE_ALIAS = 1 << 23;

/** The members of `Memory` that are groups, with their types. */
const GROUPS: Readonly<Record<string, string>> = {
  units: 'Units',
  conversations: 'Conversations',
  topics: 'Topics',
  entities: 'EntityTable',
  facts: 'Facts',
  notes: 'NotesAccess',
  journal: 'Journal',
  jobs: 'Jobs',
  admin: 'Admin',
};

const INTRODUCTION = `# The library

\`import { openMemory } from 'omoide'\`. This page is made from the types by \`node scripts/apiDocs.ts\`.

Every failure is a \`MemoryError\` with a \`code\`. An unknown option is an error (\`INVALID_INPUT\`) that names the nearest known
one. Times are \`Instant\`s, milliseconds since 1970, unless a type says otherwise.
`;

interface Member {
  readonly name: string;
  readonly signatures: readonly string[];
  readonly comments: readonly string[];
}

/** The whole page. */
export function renderApiDocs(): string {
  const api = new API({ cwd: ROOT });
  try {
    const [project] = api.updateSnapshot({ openProjects: [`${ROOT}tsconfig.json`] }).getProjects();
    if (!project) throw new Error('tsconfig.json could not be opened.');
    return renderPage(new Entry(project));
  } finally {
    api.close();
  }
}

/** The exports of the entry, by name. */
class Entry {
  readonly #checker: Checker;
  readonly #symbols: ReadonlyMap<string, Symbol>;

  constructor(project: Project) {
    this.#checker = project.checker;
    const file = project.program.getSourceFile(`${ROOT}src/index.ts`);
    const module = file && this.#checker.getSymbolAtLocation(file);
    if (!module) throw new Error('src/index.ts exports nothing.');
    this.#symbols = new Map(
      this.#checker
        .getExportsOfModule(module)
        .map((symbol) => [
          symbol.name,
          symbol.flags & ALIAS ? this.#checker.getAliasedSymbol(symbol) : symbol,
        ]),
    );
  }

  names(): string[] {
    return [...this.#symbols.keys()];
  }

  #symbol(name: string): Symbol {
    const symbol = this.#symbols.get(name);
    if (!symbol) throw new Error(`src/index.ts does not export ${name}.`);
    return symbol;
  }

  declarations(name: string): Node[] {
    return nodesOf(this.#symbol(name));
  }

  /** The members of a type, in the order of the source. */
  members(name: string): Member[] {
    const type = this.#checker.getDeclaredTypeOfSymbol(this.#symbol(name));
    return this.#checker.getPropertiesOfType(type).map((property) => {
      const nodes = nodesOf(property);
      return {
        name: property.name,
        signatures: nodes.map((node) => tidy(node.getText())),
        comments: nodes.map(commentOf).filter((comment) => comment !== ''),
      };
    });
  }

  typeOf(name: string): string {
    const type = this.#checker.getDeclaredTypeOfSymbol(this.#symbol(name));
    return this.#checker.typeToString(type, undefined, NO_TRUNCATION | IN_TYPE_ALIAS);
  }

  /** The properties of a type that is inferred from a schema. */
  properties(name: string): string[] {
    const type = this.#checker.getDeclaredTypeOfSymbol(this.#symbol(name));
    return this.#checker.getPropertiesOfType(type).flatMap((property) => {
      const of = this.#checker.getTypeOfSymbol(property);
      const text = of ? this.#checker.typeToString(of, undefined, NO_TRUNCATION) : 'unknown';
      const isOptional = text.endsWith(' | undefined');
      const comment = nodesOf(property)
        .map(commentOf)
        .find((one) => one !== '');
      return [
        ...(comment === undefined ? [] : [`  /** ${comment.replaceAll(/\s*\n\s*/g, ' ')} */`]),
        `  ${property.name}${isOptional ? '?' : ''}: ${text.replace(/ \| undefined$/, '')};`,
      ];
    });
  }
}

function nodesOf({ declarations }: Symbol): Node[] {
  return declarations.flatMap((handle) => handle.resolve() ?? []);
}

/** The text of the comment before a declaration. */
function commentOf(node: Node): string {
  const before = node.getFullText().slice(0, node.getFullText().length - node.getText().length);
  const [, text = ''] = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(before) ?? [];
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim();
}

/** A signature on one line, as it is called. */
function tidy(text: string): string {
  return text
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^readonly /, '')
    .replace(/;$/, '')
    .replaceAll(/\( /g, '(')
    .replaceAll(/, \)/g, ')')
    .trim();
}

function renderPage(entry: Entry): string {
  const memory = entry.members('Memory');
  const verbs = memory.filter(({ name, signatures }) => !(name in GROUPS) && /\(/.test(signatures[0] ?? ''));
  const values = memory.filter(
    ({ name, signatures }) => !(name in GROUPS) && !/\(/.test(signatures[0] ?? ''),
  );
  const groups = memory.filter(({ name }) => name in GROUPS);
  const functions = ['openMemory', 'exportMemory', 'openExport', 'defaultDataDir', 'isMemoryError'];
  const membersOf = (name: string) => entry.members(GROUPS[name] ?? name);
  const shown = new Set(['Memory', 'MemoryError', 'ERROR_CODES', ...functions, ...Object.values(GROUPS)]);
  const types = entry
    .names()
    .filter((name) => !shown.has(name))
    .toSorted();
  const contents = [
    `- functions: ${functions.map((name) => link(name, name)).join(' · ')}`,
    `- \`memory\`: ${[...verbs, ...values].map(({ name }) => link(name, `memory.${name}`)).join(' · ')}`,
    ...groups.map(({ name }) => {
      const members = membersOf(name).map((member) => link(member.name, `memory.${name}.${member.name}`));
      return `- [\`memory.${name}\`](#${anchor(`memory.${name}`)}): ${members.join(' · ')}`;
    }),
    '- [errors](#errors)',
    `- types: ${types.map((name) => link(name, name)).join(' · ')}`,
  ];
  const page = [
    INTRODUCTION,
    ...contents,
    '',
    '## Functions',
    ...functions.flatMap((name) => section(3, name, functionOf(entry, name))),
    '## A memory',
    ...[...verbs, ...values].flatMap((member) => section(3, `memory.${member.name}`, member)),
    ...groups.flatMap(({ name, comments }) => [
      `## memory.${name}`,
      '',
      ...comments,
      '',
      ...membersOf(name).flatMap((member) => section(3, `memory.${name}.${member.name}`, member)),
    ]),
    '## Errors',
    '',
    '| code | meaning |',
    '| --- | --- |',
    ...Object.entries(ERROR_CODES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`),
    '',
    '## Types',
    '',
    ...types.flatMap((name) => [`### ${name}`, '', '```ts', typeText(entry, name), '```', '']),
  ];
  return `${page
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

function functionOf(entry: Entry, name: string): Member {
  const nodes = entry.declarations(name);
  return {
    name,
    signatures: nodes.map((node) =>
      tidy(
        node
          .getText()
          .replace(/^export (?:async )?function\*? ?/, '')
          .replace(/ \{\n[\s\S]*$/, ''),
      ),
    ),
    comments: nodes.map(commentOf),
  };
}

function section(level: number, title: string, { signatures, comments }: Member): string[] {
  return [
    '',
    `${'#'.repeat(level)} ${title}`,
    '',
    '```ts',
    ...signatures,
    '```',
    '',
    ...comments.flatMap((comment) => [...renderComment(comment), '']),
  ];
}

/** Converts tags to sentences: error codes and parameters. */
function renderComment(comment: string): string[] {
  const [text = '', ...tags] = `\n${comment}`.split(/\s(?=@(?:throws|param|example)\b)/);
  const lines = text.trim() === '' ? [] : [text.trim()];
  for (const tag of tags) {
    const [, name, rest = ''] = /^@(\w+)\s*([\s\S]*)$/.exec(tag.trim()) ?? [];
    if (name === 'throws')
      lines.push('', `Errors: ${rest.replace(/^MemoryError /, '').replaceAll(/\s+/g, ' ')}.`);
    if (name === 'param') lines.push('', rest.replace(/^(\w+) /, '`$1`: ').replaceAll(/\s+/g, ' '));
    if (name === 'example') lines.push('', '```ts', rest.trim(), '```');
  }
  return lines;
}

/** A type as written or, if it is inferred from a schema, its properties; of a function, its signature. */
function typeText(entry: Entry, name: string): string {
  const [node] = entry.declarations(name);
  if (!node) throw new Error(`${name} is declared nowhere.`);
  const end = isFunctionDeclaration(node) && node.body ? node.body.getStart() : node.end;
  const written = node
    .getText()
    .slice(0, end - node.getStart())
    .replace(/^export /, '')
    .trim();
  if (written.startsWith('interface') || !/\bz\.|\btypeof /.test(written)) return written;
  if (!/\bz\./.test(written)) return `type ${name} = ${entry.typeOf(name)};`;
  return `interface ${name} {\n${entry.properties(name).join('\n')}\n}`;
}

const link = (text: string, target: string) => `[\`${text}\`](#${anchor(target)})`;

/** The anchor that GitHub gives a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, renderApiDocs());
