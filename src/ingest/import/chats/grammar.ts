/** What a line of a chat exported as text begins. */
export type LineStart =
  | MessageStart
  /** The day of the messages that follow. */
  | { readonly type: 'day'; readonly date: WrittenDate }
  /** Nobody's words: a heading, an event. It ends the message before it. */
  | { readonly type: 'notice' };

export interface MessageStart {
  readonly type: 'message';
  /** Null: that of the day line above. */
  readonly date: WrittenDate | null;
  readonly clock: string;
  /** Null: the next line holds it. */
  readonly speaker: string | null;
  /** What of the message stands on this line. */
  readonly text: string;
}

/** A date as it is written: whole, or in numbers of which it is still to be found out which is the day. */
export type WrittenDate = { readonly iso: string } | DateInNumbers;

export interface DateInNumbers {
  readonly numbers: readonly [string, string, string];
  readonly separator: string;
}

export interface ChatForm {
  readonly name: string;
  /** Begins a file: what reads its lines one by one. Null: the line goes on with the message before it. */
  createReader(): (line: string) => LineStart | null;
  /** The words of a whole message, and what else it says; by default the words are as they stand. */
  readonly finish?: (text: string) => FinishedText;
}

export interface FinishedText {
  readonly text: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}
