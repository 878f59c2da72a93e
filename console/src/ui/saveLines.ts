/** Saves lines that come one by one as a file of the browser. */
export async function saveLines(lines: AsyncIterable<string>, name: string): Promise<void> {
  const parts: string[] = [];
  for await (const line of lines) parts.push(line, '\n');
  const url = URL.createObjectURL(new Blob(parts, { type: 'application/jsonl' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
