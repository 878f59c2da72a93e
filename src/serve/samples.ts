/** The sample conversations of the package, as memories to try things on. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** At the package’s root, two folders above this one in the sources and in what is built of them. */
const FOLDER = new URL('../../examples/conversations/', import.meta.url);

export const SAMPLES = {
  ja: { timeZone: 'Asia/Tokyo' },
  zh: { timeZone: 'Asia/Shanghai' },
  en: { timeZone: 'Europe/London' },
} as const;
export type SampleLanguage = keyof typeof SAMPLES;

export const sampleQuestionSchema = z.object({
  text: z.string(),
  askedAt: z.string().describe('When it is asked: ISO 8601.'),
  context: z.array(z.object({ speaker: z.string(), text: z.string() })),
});

export function samplePath(language: SampleLanguage): string {
  return fileURLToPath(new URL(`${language}.jsonl`, FOLDER));
}

/** Questions that the conversation answers, or does not. */
export async function sampleQuestions(
  language: SampleLanguage,
): Promise<z.output<typeof sampleQuestionSchema>[]> {
  const text = await readFile(new URL('queries.json', FOLDER), 'utf8');
  return z.record(z.string(), z.array(sampleQuestionSchema)).parse(JSON.parse(text))[language] ?? [];
}
