import {
  KNOWN_MODELS,
  knownModel,
  MemoryError,
  openEmbedder,
  settingsForKnownModel,
  tryEmbedder,
} from '../engine/engine.ts';
import type { Settings } from '../settings/settings.ts';
import { padEnd } from '../text/text.ts';
import { actionArgument, addCommand, argument, flag, JSON_FLAG, show, type Output } from './command.ts';
import { dataFlag, readDataDir, withStoredSettings } from './settings.ts';
import { plain, printNote, style } from './terminal.ts';

export const addEmbedder = addCommand({
  name: 'embedder',
  about: 'Selects the embedder: a larger ONNX model from your own files, or the bundled one.',
  args: [actionArgument(['list', 'install', 'reset']), argument('[name]', 'for “install”: the model')],
  flags: [
    flag('--from <path>', "for “install”: the model's folder, or the .onnx file in it"),
    dataFlag(),
    JSON_FLAG,
  ],
  check({ args: [action, name], flags, command }) {
    if (action !== 'install' && (name ?? flags.from) !== undefined)
      command.error(`error: “${action}” takes no name and no --from`);
  },
  run: ({ args: [action, name], flags }) =>
    withStoredSettings(readDataDir(flags), async (settings) => {
      if (action === 'list') return list(settings);
      show(action === 'reset' ? await reset(settings) : await install(settings, name, flags.from), flags);
      if (!flags.json) printNote(RECOMPUTING_NOTE);
    }),
});

const NAME_WIDTH = 24;

function list(settings: Settings): Output {
  const { presets, active } = settings.get();
  const chosen = active.embedding ?? 'bundled';
  const known = KNOWN_MODELS.filter(({ name }) => presets.embedding.every(({ id }) => id !== name));
  const lines = [
    ['bundled', 'comes with Omoide'],
    ...presets.embedding.map(({ id, name }): [string, string] => [id, `installed: ${name}`]),
    ...known.map(({ name, dimensions }): [string, string] => [
      name,
      `not installed; ${dimensions} dimensions`,
    ]),
  ].map(
    ([id = '', about = '']) =>
      `${id === chosen ? '*' : ' '} ${style('bold', padEnd(plain(id), NAME_WIDTH))}  ${plain(about)}`,
  );
  return { json: { active: chosen, installed: presets.embedding, known: KNOWN_MODELS }, lines };
}

async function install(
  settings: Settings,
  name: string | undefined,
  from: string | undefined,
): Promise<Output> {
  if (name === undefined || from === undefined)
    throw new MemoryError(
      'INVALID_INPUT',
      'Which model, and from where? “omoide embedder install NAME --from FOLDER”.',
    );
  const model = knownModel(name);
  const chosen = settingsForKnownModel(name, from);
  const trial = await tryEmbedder(await openEmbedder(chosen), model.dimensions);
  const others = settings.get().presets.embedding.filter(({ id }) => id !== name);
  await settings.change({
    presets: { embedding: [...others, { id: name, name, settings: chosen }] },
    active: { embedding: name },
  });
  const times = `${trial.milliseconds.toFixed(0)} ms for a short text, ${trial.dimensions} dimensions`;
  return {
    json: { active: name, settings: chosen, trial },
    lines: [`${name} is set: ${times}. Its files stay in ${plain(chosen.directory)}; keep them there.`],
  };
}

async function reset(settings: Settings): Promise<Output> {
  await settings.change({ active: { embedding: null } });
  return { json: { active: 'bundled' }, lines: ['The bundled embedder is set.'] };
}

const RECOMPUTING_NOTE =
  'a server recomputes the vectors of its memories in the background and uses the old ones meanwhile; “omoide rebuild” does it now.';
