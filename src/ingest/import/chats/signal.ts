import { parseWrittenDate } from './dates.ts';
import type { ChatForm } from './grammar.ts';

/** `[2024-01-05, 22:03] Me: Hello`, as signal-export writes its Markdown; without seconds, unlike WhatsApp. */
const MESSAGE = /^\[(\d{4}-\d{2}-\d{2}),? (\d{2}:\d{2})\] ([^:]{1,100}): ?(.*)$/;
/** Reactions follow the text: `(- Anna: 👍, Ben: ❤️ -)`. */
const REACTIONS = /\s*\(- .* -\)$/;

/** Signal's chats as signal-export writes them. */
export const SIGNAL_FORM: ChatForm = {
  name: 'signal',
  createReader: () => (line) => {
    const [, written = '', clock = '', speaker = '', text = ''] = MESSAGE.exec(line) ?? [];
    const date = parseWrittenDate(written);
    return date && { type: 'message', date, clock, speaker, text };
  },
  // Two spaces end a line in Markdown.
  finish: (text) => ({ text: text.trimEnd().replace(REACTIONS, '').replaceAll(/ {2}$/gm, '') }),
};
