import { parse as parseYaml } from 'yaml';
import { SCOPES, SENSITIVITIES, type Scope, type Sensitivity, isRecord } from '../../model/model.ts';

/** The metadata of a file before its text. */
export interface FrontMatter {
  readonly memoryType: string | null;
  readonly scope: Scope | null;
  readonly sensitivity: Sensitivity | null;
}

interface FoundFrontMatter {
  readonly frontMatter: FrontMatter;
  /** Where it ends in the source, in UTF-16 units; 0 when there is none. */
  readonly end: number;
  /** It cannot be parsed: it is treated as text, but not as Markdown. */
  readonly isBroken: boolean;
  readonly warnings: readonly string[];
}

const NOTHING: FrontMatter = { memoryType: null, scope: null, sensitivity: null };
const BLOCK = /^\ufeff?---[ \t]*\r?\n(?<yaml>[^]*?)(?<=\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
/** Longer blocks are not front matter, in UTF-16 units. */
const MAX_LENGTH = 65_536;
const MEMORY_TYPE = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u;

/** Reads the front matter at the beginning of a file. Reports problems and never throws. */
export function readFrontMatter(source: string): FoundFrontMatter {
  const found = BLOCK.exec(source.slice(0, MAX_LENGTH));
  const none = { frontMatter: NOTHING, end: 0, isBroken: false, warnings: [] };
  if (!found) return none;
  const yaml = found.groups?.['yaml'] ?? '';
  const end = found[0].length;
  if (!isMapping(yaml)) return none;
  try {
    const fields: unknown = parseYaml(yaml, { logLevel: 'error' });
    if (fields === null && yaml.trim() === '') return { ...none, end };
    if (!isRecord(fields)) return none;
    return { end, isBroken: false, ...readFields(fields) };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    const warnings = [`The front matter is not YAML and was read as text: ${reason}`];
    return {
      frontMatter: { ...NOTHING, sensitivity: sensitivityIn(yaml) },
      end,
      isBroken: true,
      warnings,
    };
  }
}

/** Otherwise it is Markdown after a horizontal rule. */
function isMapping(yaml: string): boolean {
  const first = yaml.split('\n').find((line) => !/^\s*(?:#|$)/.test(line));
  return first === undefined || /^\s*(?![-#])[^:]+:/.test(first);
}

/** A file marked as private stays private even if its front matter has errors. */
function sensitivityIn(yaml: string): Sensitivity | null {
  const value = /^\s*sensitivity\s*:\s*["']?(\w+)/im.exec(yaml)?.[1]?.toLowerCase();
  return SENSITIVITIES.find((one) => one === value) ?? null;
}

function readFields(fields: Record<string, unknown>): { frontMatter: FrontMatter; warnings: string[] } {
  const warnings: string[] = [];
  const read = <T extends string>(name: string, accept: (value: string) => T | undefined, wanted: string) => {
    const value = fields[name];
    if (value === undefined || value === null) return null;
    const accepted = typeof value === 'string' ? accept(value.trim()) : undefined;
    if (accepted === undefined) warnings.push(`“${name}” in the front matter must be ${wanted}.`);
    return accepted ?? null;
  };
  const oneOf = <T extends string>(name: string, all: readonly T[]) =>
    read(name, (value) => all.find((one) => one === value.toLowerCase()), `one of ${all.join(', ')}`);
  const frontMatter = {
    memoryType: read('type', (value) => (MEMORY_TYPE.test(value) ? value : undefined), 'a word'),
    scope: oneOf('scope', SCOPES),
    sensitivity: oneOf('sensitivity', SENSITIVITIES),
  };
  return { frontMatter, warnings };
}
