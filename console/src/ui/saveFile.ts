interface FileKind {
  readonly name: string;
  readonly type: string;
}

/** Saves text as a download. */
export function saveFile(parts: readonly string[], { name, type }: FileKind): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Saves lines that arrive one by one. */
export async function saveLines(lines: AsyncIterable<string>, name: string): Promise<void> {
  const parts: string[] = [];
  for await (const line of lines) parts.push(line, '\n');
  saveFile(parts, { name, type: 'application/jsonl' });
}
