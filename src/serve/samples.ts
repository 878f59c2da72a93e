/** The sample conversations of the package, as memories to try out. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** At the package’s root, two folders above this file in the sources and in the build. */
const FOLDER = new URL('../../examples/conversations/', import.meta.url);

export const SAMPLES = {
  ja: { timeZone: 'Asia/Tokyo' },
  zh: { timeZone: 'Asia/Shanghai' },
  en: { timeZone: 'Europe/London' },
} as const;
export type SampleLanguage = keyof typeof SAMPLES;

export const sampleQuestionSchema = z.object({
  text: z.string(),
  askedAt: z.string().describe('Time of the question: ISO 8601.'),
  context: z.array(z.object({ speaker: z.string(), text: z.string() })),
});

export function samplePath(language: SampleLanguage): string {
  return fileURLToPath(new URL(`${language}.jsonl`, FOLDER));
}

/** Questions with and without an answer in the conversation. */
export async function sampleQuestions(
  language: SampleLanguage,
): Promise<z.output<typeof sampleQuestionSchema>[]> {
  const text = await readFile(new URL('queries.json', FOLDER), 'utf8');
  return z.record(z.string(), z.array(sampleQuestionSchema)).parse(JSON.parse(text))[language] ?? [];
}
