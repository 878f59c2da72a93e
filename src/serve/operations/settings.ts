import { checkModelAccess } from '../modelAccess.ts';
import { operation } from '../operation.ts';
import { settingsPatchShape, settingsShape } from '../shapes/shapes.ts';

export const settingsOperations = {
  readSettings: operation('readSettings', {
    tag: 'settings',
    summary: 'What the operator has chosen. Of keys only whether there is one.',
    access: 'operator',
    answer: settingsShape,
    handle: ({ parts }) => parts.settings.public(),
  }),

  changeSettings: operation('changeSettings', {
    tag: 'settings',
    summary: 'Changes them; it counts at once.',
    description:
      'What is left out stays as it is. A list of presets takes the place of the one before. Another embedder makes all vectors ' +
      'anew in the background, while those there are go on serving. `apiKeyEnv` names a variable that begins with `OMOIDE_KEY_`, the ' +
      'usual one of a known server, or one that was allowed at start; link-local and metadata addresses are refused unless allowed then.',
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
};
