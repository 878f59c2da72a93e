/** Recognises the Markdown files with instructions for other tools, by their names. */

/**
 * Documented locations: code.claude.com/docs/en/memory, agents.md, cursor.com/docs/context/rules,
 * docs.github.com/copilot (repository custom instructions), docs.windsurf.com/windsurf/cascade/memories. Each
 * pattern begins at the distinctive name.
 */
const RULES: readonly RegExp[] = [
  /(?:^|\/)(?<tail>(?:\.claude\/)?CLAUDE(?:\.local)?\.md)$/,
  /(?:^|\/)(?<tail>\.claude\/rules\/.+\.md)$/,
  /(?:^|\/)(?<tail>AGENTS\.md)$/,
  /(?:^|\/)(?<tail>\.cursor\/rules\/.+\.mdc?)$/,
  /(?:^|\/)(?<tail>\.cursorrules)$/,
  /(?:^|\/)(?<tail>(?:\.github\/)?copilot-instructions\.md)$/,
  /(?:^|\/)(?<tail>(?:\.github\/instructions\/(?:.+\/)?)?[^/]+\.instructions\.md)$/,
  /(?:^|\/)(?<tail>\.windsurf\/rules\/.+\.md)$/,
  /(?:^|\/)(?<tail>\.windsurfrules|global_rules\.md)$/,
];
/** Hidden folders that contain such files. */
export const RULE_FOLDERS: ReadonlySet<string> = new Set(['.claude', '.cursor', '.github', '.windsurf']);
/** Previously imported files are notes, which may come from an export. */
const IMPORTED = /(?:^|\/)(?:agent|user)\/imported\//;
/** Where Claude Code stores the notes that it writes itself. */
const OWN_NOTES = /(?:^|\/)\.claude\/projects\/[^/]+\/memory\/(?<tail>.+\.md)$/;

/** The distinctive part of a path, with slashes, of a file of rules; null when it is not one. */
export function ruleTail(path: string): string | null {
  if (IMPORTED.test(path)) return null;
  for (const rule of RULES) {
    const tail = rule.exec(path)?.groups?.['tail'];
    if (tail !== undefined) return tail;
  }
  return null;
}

/** The path of a note within the notes that Claude Code wrote; null when it is not one. */
export function ownNoteTail(path: string): string | null {
  return OWN_NOTES.exec(path)?.groups?.['tail'] ?? null;
}

const FRONT_MATTER = /^---[ \t]*\r?\n(?<fields>(?:[^]*?\r?\n)?)---[ \t]*(?:\r?\n|$)/;

/**
 * Converts rules to a note of instructions with all their lines. Their front matter says when they apply, which is
 * worth finding, and is not always valid YAML: it is quoted at the beginning of the text.
 */
export function toInstructions(rules: string): string {
  const found = FRONT_MATTER.exec(rules);
  const fields = (found?.groups?.['fields'] ?? '').split(/\r?\n/).filter((line) => line.trim() !== '');
  const body = rules.slice(found?.[0].length ?? 0).replace(/^(?:[ \t]*\r?\n)+/, '');
  const quoted = fields.length > 0 ? `${fields.map((line) => `> ${line}`).join('\n')}\n\n` : '';
  return `---\ntype: instruction\n---\n${quoted}${body}`;
}

/** Paths that rules import with `@`, in order, except those in code. (Claude Code, “Import additional files”) */
export function namedImports(rules: string): string[] {
  const words = rules
    .replace(/^(?<fence>`{3,}|~{3,})[^]*?(?:^\k<fence>|$(?![^]))/gm, '')
    .replace(/`[^`\n]*`/g, '');
  return [...words.matchAll(/(?<![\p{L}\p{N}_.`/])@(?<path>(?:\\ |[^\s`'"<>()[\]])+)/gu)].flatMap(
    ({ groups }) => {
      const path = (groups?.['path'] ?? '').replaceAll('\\ ', ' ').replace(/[.,;:!?、。，；]+$/u, '');
      // A name without slash and extension is a mention of a person.
      return /[/.~]/.test(path) ? [path] : [];
    },
  );
}
