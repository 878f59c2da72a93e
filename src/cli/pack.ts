import { defined } from '../engine/engine.ts';
import { flag } from './command.ts';
import { warnAboutMissingParts } from './recall.ts';
import { addRecallCommand } from './recallFlags.ts';
import { readInput } from './values.ts';

export const addPack = addRecallCommand({
  name: 'pack',
  about: "Prints the memory's part of a prompt for an utterance, within a token budget.",
  flags: [
    flag('--persona <file>', 'who the companion is; never shortened'),
    flag('--contract <file>', 'the agreement between companion and user; never shortened'),
    flag('--language <code>', "language of headings and reasons (default: the utterance's)", {
      choices: ['ja', 'zh', 'en'] as const,
    }),
    flag('--json', 'print the pack with its sections and the recall behind it as JSON'),
  ],
  async find({ memory, utterance, options, flags: { persona, contract, language } }) {
    const asked = defined({
      persona: persona === undefined ? undefined : await readInput(persona),
      contract: contract === undefined ? undefined : await readInput(contract),
      language,
    });
    const pack = await memory.pack(utterance, { ...options, ...asked });
    warnAboutMissingParts(pack.recall);
    return { json: pack, lines: pack.text === '' ? [] : [pack.text] };
  },
});
