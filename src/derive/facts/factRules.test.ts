/** Precision and recall of the rules on sentences that were written before the rules. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Language } from '../../text/text.ts';
import { DeriveRig } from '../../../test/derive/rig.ts';
import type { Episode } from '../../model/model.ts';
import { plainScene } from '../scene.ts';
import { factsOf } from './factRules.ts';
import { predicateKey } from '../../text/text.ts';

interface Case {
  readonly text: string;
  /** `whose.attribute` and the value; for the speaker only `attribute`. */
  readonly wanted: readonly (readonly [string, string])[];
}

const CASES = new URL('../../../test/derive/facts/', import.meta.url);

/** Lines like `My uncle lives in Leeds. => uncle.home=Leeds`, or `=> -` if there is no fact. */
function readCases(language: Language): Case[] {
  const lines = readFileSync(new URL(`${language}.txt`, CASES), 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [text, wanted] = line.split(' => ');
    if (text === undefined || wanted === undefined || line.startsWith('#')) return [];
    const pairs = wanted === '-' ? [] : wanted.split('; ');
    return [{ text, wanted: pairs.map((pair): [string, string] => splitOnce(pair, '=')) }];
  });
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

/** An episode whose text can be replaced. */
async function anEpisode(): Promise<Episode> {
  const rig = new DeriveRig();
  const [unit] = await rig.store.units.get([await rig.say('…', '2026-11-22T12:00Z')]);
  if (unit?.kind !== 'episode') throw new Error('no episode was kept');
  return unit;
}

function learn(episode: Episode, text: string): [string, string][] {
  const scene = plainScene({ ...episode, payload: { ...episode.payload, text } });
  return factsOf(scene, [], 'UTC').flatMap(({ subject, predicate, object, ends }) => {
    if (ends) return [];
    const whose = subject === 'user' ? '' : `${subject.replace(/^user(?:'s |の|的)/, '')}.`;
    const [attribute = ''] = predicateKey(predicate).split(':');
    return [[whose + attribute, object]];
  });
}

const bare = (words: string) => words.toLowerCase().replace(/^(?:an?|the) /, '');

function isSame([key, value]: readonly [string, string], [wantedKey, wanted]: readonly [string, string]) {
  return key === wantedKey && (bare(value).includes(bare(wanted)) || bare(wanted).includes(bare(value)));
}

function score(episode: Episode, cases: readonly Case[]) {
  const wrong: string[] = [];
  const missed: string[] = [];
  let right = 0;
  for (const { text, wanted } of cases) {
    const found = learn(episode, text);
    const extra = found.filter((one) => !wanted.some((other) => isSame(one, other)));
    const absent = wanted.filter((one) => !found.some((other) => isSame(other, one)));
    right += wanted.length - absent.length;
    wrong.push(...extra.map((one) => `${text} → ${one.join('=')}`));
    missed.push(...absent.map((one) => `${text} → ${one.join('=')}`));
  }
  return {
    precision: right / (right + wrong.length),
    recall: right / (right + missed.length),
    wrong,
    missed,
  };
}

describe.each(['en', 'ja', 'zh'] as const)('facts by rules in %s', (language) => {
  const cases = readCases(language);

  test('are not found in text without statements', async () => {
    const { wrong } = score(
      await anEpisode(),
      cases.filter(({ wanted }) => wanted.length === 0),
    );
    expect(wrong).toEqual([]);
  });

  test('are stated in the text, and most statements are found', async () => {
    const { precision, recall, wrong, missed } = score(
      await anEpisode(),
      cases.filter(({ wanted }) => wanted.length > 0),
    );
    expect.soft(precision, wrong.join('\n')).toBeGreaterThanOrEqual(0.98);
    expect.soft(recall, missed.join('\n')).toBeGreaterThanOrEqual(0.85);
  });
});
