/** The system prompt: instructions, memory, and the current time. */
import type { Memory, Pack, PackOptions } from '../engine/engine.ts';
import { instantToWallClock, type Instant, type Meta } from '../model/model.ts';
import type { Language } from '../text/text.ts';
import { prompt } from './prompts.ts';
import type { CompanionSettings } from './types.ts';
import type { Line } from './window.ts';

/** Maximum number of context lines for recall: older ones do not help to understand the utterance. */
const MAX_CONTEXT_LINES = 20;

/** The memory pack for an utterance. */
export async function packFor(
  memory: Memory,
  settings: CompanionSettings,
  utterance: string,
  about: {
    readonly context: readonly Line[];
    readonly exceptUnitIds: readonly number[];
    readonly options?: PackOptions;
  },
): Promise<Pack> {
  return memory.pack(utterance, {
    context: about.context.slice(-MAX_CONTEXT_LINES),
    exceptUnitIds: [...about.exceptUnitIds],
    persona: settings.persona,
    contract: settings.contract,
    budgetTokens: settings.packTokens,
    ...(settings.profile !== undefined && { profile: settings.profile }),
    ...about.options,
  });
}

/**
 * Safety instructions followed by the memory.
 * @param clientContext the client's information about the moment
 */
export function systemPrompt(
  language: Language,
  pack: Pack,
  clock: { readonly now: Instant; readonly timeZone: string },
  clientContext?: Meta,
): string {
  const guard = prompt('guard', language, { now: wallClock(clock.now, clock.timeZone, language) });
  // As JSON it is one line and cannot imitate a heading.
  const moment = clientContext ? `[CLIENT_CONTEXT]\n${JSON.stringify(clientContext)}` : '';
  return [guard, pack.text, moment].filter((part) => part !== '').join('\n\n');
}

const LOCALES: Readonly<Record<Language, string>> = { ja: 'ja-JP', zh: 'zh-CN', en: 'en-GB' };
const formats = new Map<Language, Intl.DateTimeFormat>();

/** Date, weekday and time in the format of the language. */
function wallClock(now: Instant, timeZone: string, language: Language): string {
  let format = formats.get(language);
  if (!format) {
    // Creating a formatter takes longer than the rest of the prompt, so it is cached.
    const style = { timeZone: 'UTC', dateStyle: 'full', timeStyle: 'short' } as const;
    format = new Intl.DateTimeFormat(LOCALES[language], style);
    formats.set(language, format);
  }
  return format.format(instantToWallClock(now, timeZone));
}
