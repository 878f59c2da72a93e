import { keysOf } from '../../model/model.ts';
import { z } from 'zod';
import { checkMediaType } from '../body.ts';
import { importFile, importReportShape, inspectFile, problemShapes, receiveFile } from '../fileImport.ts';
import { operation, type ServerEvent } from '../operation.ts';
import { invalidFields } from '../problem.ts';
import { samplePath, sampleQuestions, sampleQuestionSchema, SAMPLES } from '../samples.ts';
import { startStream } from '../sse.ts';

const OCTETS = 'application/octet-stream';
const count = z.int().min(0);
export const fileOperations = {
  importFile: operation('importFile', {
    tag: 'upkeep',
    summary: 'Imports a conversation file of any known format, or shows what it contains.',
    description:
      'The body is the file, of any length. Server-sent events: `progress`, and as the last one `found` (with `dryRun`, which stores ' +
      'nothing) or `done`. Existing turns are skipped; unreadable items are reported with their line, and the rest is imported.',
    query: z.strictObject({
      name: z
        .string()
        .min(1)
        .max(255)
        .default('import')
        .describe('The name of the file, used as the name of conversations without one.'),
      dryRun: z.boolean().default(false).describe('Whether to only show the content.'),
    }),
    answer: {
      progress: z.object({ read: count, added: count }),
      found: z.object({
        format: z.string(),
        turns: count,
        conversations: count,
        samples: z.array(z.object({ speaker: z.string(), text: z.string() })).describe('The first turns.'),
        ...problemShapes,
      }),
      done: importReportShape,
    },
    problems: ['UNKNOWN_FORMAT', 'UNSUPPORTED_MEDIA_TYPE'],
    async handle({ parts, parameters, query, request, signal }) {
      checkMediaType(request, OCTETS);
      if (!request.body) throw invalidFields([{ in: 'body', pointer: '', detail: 'is empty' }]);
      // A file that is not readable at all is a problem document, not an event.
      return startStream(run());

      async function* run(): AsyncGenerator<ServerEvent> {
        await using file = await receiveFile(request.body, query.name);
        if (query.dryRun) return yield* inspectFile(file.path, signal);
        const lease = await parts.memories.acquire(parameters.memoryId, {});
        try {
          yield* importFile(lease.memory, file.path, signal);
        } finally {
          lease.release();
        }
      }
    },
  }),

  addSample: operation('addSample', {
    tag: 'upkeep',
    summary: 'Fills a memory with a sample conversation to experiment with.',
    body: z.strictObject({ language: z.enum(keysOf(SAMPLES)) }),
    answer: z.object({
      added: count,
      questions: z.array(sampleQuestionSchema).describe('Suggested questions, with their time.'),
    }),
    status: 201,
    example: { language: 'ja' },
    async handle({ parts, parameters, body: { language } }) {
      const lease = await parts.memories.acquire(parameters.memoryId, SAMPLES[language]);
      try {
        const { added } = await lease.memory.admin.importFile(samplePath(language));
        return { added, questions: await sampleQuestions(language) };
      } finally {
        lease.release();
      }
    },
  }),
};
