/** What a line of a chat exported as text starts. */
export type LineStart =
  | MessageStart
  /** The day of the messages that follow. */
  | { readonly type: 'day'; readonly date: WrittenDate }
  /** A heading or an event, not a message. It ends the message before it. */
  | { readonly type: 'notice' };

export interface MessageStart {
  readonly type: 'message';
  /** Null: the date of the last day line. */
  readonly date: WrittenDate | null;
  readonly clock: string;
  /** Null: the next line contains it. */
  readonly speaker: string | null;
  /** The part of the message on this line. */
  readonly text: string;
}

/** A date as it is written: whole, or in numbers whose order is not yet known. */
export type WrittenDate = { readonly iso: string } | DateInNumbers;

export interface DateInNumbers {
  readonly numbers: readonly [string, string, string];
  readonly separator: string;
}

export interface ChatForm {
  readonly name: string;
  /** Creates a reader for the lines of one file. It returns null for a line that continues the message before it. */
  createReader(): (line: string) => LineStart | null;
  /** The text of a whole message, and its metadata; by default the text is used unchanged. */
  readonly finish?: (text: string) => FinishedText;
}

export interface FinishedText {
  readonly text: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}
