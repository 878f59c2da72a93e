/** Consecutive turns of a conversation that are read together. */
import type { LanguageModel } from '../llm/llm.ts';
import { unitText, type Episode } from '../model/model.ts';
import type { DerivationMark, Store } from '../store/store.ts';
import { detectLanguage, type Language } from '../text/text.ts';
import type { Prompt } from './prompts.ts';
import { formatTurn, markOfScene, readScene, type Scene } from './scene.ts';

export interface Passage {
  /** At least one; of one conversation and the same sensitivity, oldest first. */
  readonly scenes: readonly Scene[];
  readonly language: Language;
}

/** The most turns read together: an exchange, or a few of them when many wait. */
const MAX_TURNS = 6;
/** No further turns are added beyond this length, UTF-16 units. */
const MAX_LENGTH = 6_000;

/** The turn and those after it, while they have the same sensitivity and source. */
export async function readPassage(
  store: Store,
  first: Episode,
  isWanted: (scene: Scene) => Promise<boolean>,
): Promise<Passage> {
  const [around] = await store.units.neighbours([first.id], { before: 0, after: MAX_TURNS - 1 });
  const after = await store.units.get(around?.after ?? []);
  const scenes = [await readScene(store, first)];
  let length = scenes[0]?.text.length ?? 0;
  for (const unit of after) {
    if (unit.kind !== 'episode' || !isAlike(unit, first)) break;
    length += unitText(unit).length;
    if (length > MAX_LENGTH) break;
    const scene = await readScene(store, unit);
    if (!(await isWanted(scene))) break;
    scenes.push(scene);
  }
  return passageOf(scenes);
}

function passageOf(scenes: readonly Scene[]): Passage {
  const [first] = scenes;
  const words = scenes.map(({ text }) => text).join('\n');
  return { scenes, language: detectLanguage(words, first?.language ?? 'en') };
}

function isAlike(one: Episode, first: Episode): boolean {
  return one.sensitivity === first.sensitivity && one.source === first.source && one.state !== 'archived';
}

/** The turns, numbered from 1, one line each. */
export function formatPassage({ scenes }: Passage, timeZone: string): string {
  return scenes.map(({ episode, text }, i) => `#${i + 1} ${formatTurn(episode, text, timeZone)}`).join('\n');
}

/** A turn of a passage, with the mark of its derivation. */
export interface MarkedScene {
  /** From 1, as shown to the model. */
  readonly number: number;
  readonly scene: Scene;
  readonly mark: DerivationMark;
}

/** The turns about which a model was not asked this before. */
export async function notAskedBefore(
  store: Store,
  { scenes }: Passage,
  form: { readonly kind: string; readonly prompt: Prompt; readonly model: LanguageModel },
): Promise<MarkedScene[]> {
  const { kind, prompt, model } = form;
  const marked = scenes.map((scene, i) => ({
    number: i + 1,
    scene,
    mark: markOfScene(kind, scene, { version: prompt.version, modelId: model.id }),
  }));
  const waiting: MarkedScene[] = [];
  for (const one of marked) if (!(await store.units.isDerived(one.mark))) waiting.push(one);
  return waiting;
}
