import { messageOf } from '../../model/model.ts';
import { z } from 'zod';
import { MemoryError, openLanguageModel } from '../../engine/engine.ts';
import { checkModelAccess } from '../modelAccess.ts';
import { operation } from '../operation.ts';
import { settingsPatchShape, settingsShape } from '../shapes/shapes.ts';

const TEST_LIMIT_MS = 30_000;

export const settingsOperations = {
  readSettings: operation('readSettings', {
    tag: 'settings',
    summary: 'Returns the settings. For keys it only shows whether they are set.',
    access: 'operator',
    answer: settingsShape,
    handle: ({ parts }) => parts.settings.public(),
  }),

  changeSettings: operation('changeSettings', {
    tag: 'settings',
    summary: 'Changes the settings, with immediate effect.',
    description:
      'Missing fields stay unchanged. A list of presets replaces the previous one. Another embedder recomputes all vectors ' +
      'in the background; the existing ones are used until then. `apiKeyEnv` names a variable that begins with `OMOIDE_KEY_`, the ' +
      'usual one of a known server, or one that was allowed at start; link-local and metadata addresses are rejected unless allowed at start.',
    access: 'operator',
    body: settingsPatchShape,
    answer: settingsShape,
    example: { budgets: { packTokens: 1_200 } },
    async handle({ parts, body }) {
      checkModelAccess(body, parts.settings.get(), parts.modelAccess);
      const settings = await parts.settings.change(body);
      await parts.models.settled();
      return settings;
    },
  }),

  testModel: operation('testModel', {
    tag: 'settings',
    summary: 'Tests a configured model by requesting one word.',
    access: 'operator',
    body: z.strictObject({ id: z.string().min(1).max(64).describe('Id of the preset.') }),
    answer: z.object({
      ok: z.boolean(),
      elapsedMs: z.number(),
      reply: z.string().nullable().describe('The start of the answer; null if it did not answer.'),
      problem: z.string().nullable().describe('Why it did not answer.'),
    }),
    example: { id: 'local' },
    async handle({ parts, body, signal }) {
      const preset = parts.settings.get().presets.llm.find(({ id }) => id === body.id);
      if (!preset) throw new MemoryError('NOT_FOUND', `There is no model “${body.id}” in the settings.`);
      const startedAt = performance.now();
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TEST_LIMIT_MS)]);
      const request = {
        purpose: 'test',
        messages: [{ role: 'user', content: 'Say one word.' } as const],
        maxOutputTokens: 20,
      };
      try {
        const model = openLanguageModel(preset.settings);
        const reply = await model.generateText(request, limit);
        return {
          ok: true,
          elapsedMs: performance.now() - startedAt,
          reply: reply.text.slice(0, 200),
          problem: null,
        };
      } catch (error) {
        const problem = messageOf(error);
        return { ok: false, elapsedMs: performance.now() - startedAt, reply: null, problem };
      }
    },
  }),
};
