import { Argument, type Command } from 'commander';
import {
  KNOWN_MODELS,
  knownModel,
  MemoryError,
  openEmbedder,
  settingsForKnownModel,
  tryEmbedder,
} from '../engine/engine.ts';
import { openSettings, settingsPath, type Settings } from '../settings/settings.ts';
import { padEnd } from '../text/text.ts';
import type { AddCommand } from './command.ts';
import { dataOption, readDataDir, type SettingFlags } from './settings.ts';
import { plain, printJson, printLines, printNote, style } from './terminal.ts';

interface Flags extends Pick<SettingFlags, 'data'> {
  readonly from?: string;
  readonly json?: true;
}

export const addEmbedder: AddCommand = (program) => {
  program
    .command('embedder')
    .description('Selects the embedder: a larger ONNX model from your own files, or the bundled one.')
    .addArgument(new Argument('[action]', 'the action').choices(['list', 'install', 'reset']).default('list'))
    .argument('[name]', 'for “install”: the model')
    .option('--from <path>', "for “install”: the model's folder, or the .onnx file in it")
    .addOption(dataOption())
    .option('--json', 'print the result as JSON')
    .action(
      async (action: keyof typeof ACTIONS, name: string | undefined, flags: Flags, command: Command) => {
        if (action !== 'install' && (name ?? flags.from) !== undefined)
          command.error(`error: “${action}” takes no name and no --from`);
        const settings = openSettings(settingsPath(readDataDir(flags)));
        try {
          await ACTIONS[action](settings, flags, name);
        } finally {
          settings.close();
        }
      },
    );
};

const ACTIONS = { list, install, reset };
const NAME_WIDTH = 24;

function list(settings: Settings, flags: Flags): void {
  const { presets, active } = settings.get();
  const chosen = active.embedding ?? 'bundled';
  if (flags.json) return printJson({ active: chosen, installed: presets.embedding, known: KNOWN_MODELS });
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
  printLines(lines);
}

async function install(settings: Settings, { from, json }: Flags, name: string | undefined): Promise<void> {
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
  if (json) return printJson({ active: name, settings: chosen, trial });
  const times = `${trial.milliseconds.toFixed(0)} ms for a short text, ${trial.dimensions} dimensions`;
  printLines([`${name} is set: ${times}. Its files stay in ${plain(chosen.directory)}; keep them there.`]);
  printNote(REMAKING);
}

async function reset(settings: Settings, { json }: Flags): Promise<void> {
  await settings.change({ active: { embedding: null } });
  if (json) return printJson({ active: 'bundled' });
  printLines(['The bundled embedder is set.']);
  printNote(REMAKING);
}

const REMAKING =
  'a server recomputes the vectors of its memories in the background and uses the old ones meanwhile; “omoide rebuild” does it now.';
