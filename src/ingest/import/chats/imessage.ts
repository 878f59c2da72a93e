import { parseClock } from './clock.ts';
import { parseWrittenDate } from './dates.ts';
import type { ChatForm, LineStart } from './grammar.ts';

/** `Jan 05, 2024 10:03:11 PM (Read by them after 3 seconds)`; the next line is the speaker, the lines after it the text. */
const TIME =
  /^(\s*)([A-Z][a-z]{2,8} \d{1,2}, \d{4}) {1,2}(\d{1,2}:\d{2}:\d{2}[\s\u202F][AP]M)(?: \((?:Read|Deliver|Sent|Edited)[^)]*\))?$/;
const REMARKS =
  /\n(?:Tapbacks|Reactions|Stickers):\n[^]*$|\nThis message responded to an earlier message\.\s*$/;

/** Messages (iMessage, SMS) as imessage-exporter writes them to text. */
export const IMESSAGE_FORM: ChatForm = {
  name: 'imessage',
  createReader() {
    let isReply = false;
    return (line): LineStart | null => {
      const [, indent = '', written = '', clock = ''] = TIME.exec(line) ?? [];
      const date = parseWrittenDate(written);
      if (date && parseClock(clock) !== null) {
        // A reply is exported twice: indented below the message that it answers, and at its own position.
        isReply = indent !== '';
        return isReply ? { type: 'notice' } : { type: 'message', date, clock, speaker: null, text: '' };
      }
      return isReply ? { type: 'notice' } : null;
    };
  },
  finish: (text) => ({ text: text.replace(REMARKS, '') }),
};
