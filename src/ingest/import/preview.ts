/** Shows what an import would read, without a memory. */
import { parseInstant, type Instant } from '../../model/model.ts';
import { readConversationFile, type ImportOptions } from './conversationFile.ts';
import type { ImportFormat } from './detect.ts';
import type { ImportItem } from './intake.ts';

export interface ImportPreview {
  readonly files: readonly PreviewedFile[];
  readonly remarks: readonly string[];
}

export interface PreviewedFile {
  /** Its path within the folder or archive; of a single file its name. */
  readonly path: string;
  readonly format: ImportFormat;
  readonly conversations: number;
  readonly turns: number;
  readonly problems: number;
  /** Of the earliest and the latest turn; null without turns. */
  readonly from: Instant | null;
  readonly to: Instant | null;
  /** Who speaks, most often first. */
  readonly speakers: readonly { readonly name: string; readonly turns: number }[];
  /** The first turns and the last ones. */
  readonly samples: readonly PreviewedTurn[];
  /** The first problems found. */
  readonly problemSamples: readonly string[];
}

export interface PreviewedTurn {
  readonly conversationId: string;
  readonly speaker: string;
  readonly occurredAt: Instant;
  readonly text: string;
}

const FIRST_SAMPLES = 3;
const MAX_PROBLEMS = 5;

/**
 * Reads everything as an import would, and reports what was recognised.
 * @throws MemoryError what readConversationFile throws
 */
export async function previewImport(path: string, options: ImportOptions): Promise<ImportPreview> {
  const tallies: Tally[] = [];
  const remarks: string[] = [];
  const onFile: NonNullable<ImportOptions['onFile']> = (file) => {
    tallies.push(new Tally(file.path, file.format, options.timeZone));
  };
  for await (const item of readConversationFile(path, { ...options, onFile })) {
    if (item.type === 'remark') remarks.push(item.text);
    else tallies.at(-1)?.add(item);
  }
  return { files: tallies.map((tally) => tally.finish()), remarks };
}

class Tally {
  readonly #path: string;
  readonly #format: ImportFormat;
  readonly #timeZone: string;
  readonly #conversations = new Set<string>();
  readonly #speakers = new Map<string, number>();
  readonly #samples: PreviewedTurn[] = [];
  readonly #problemSamples: string[] = [];
  #last: PreviewedTurn | null = null;
  #turns = 0;
  #problems = 0;
  #from = Infinity;
  #to = -Infinity;

  constructor(path: string, format: ImportFormat, timeZone: string) {
    this.#path = path;
    this.#format = format;
    this.#timeZone = timeZone;
  }

  add(item: Exclude<ImportItem, { type: 'remark' }>): void {
    if (item.type === 'problem') {
      this.#problems += 1;
      if (this.#problemSamples.length < MAX_PROBLEMS)
        this.#problemSamples.push(`${item.place}: ${item.code} ${item.reason}`);
      return;
    }
    const { conversationId, speaker, text, occurredAt } = item.turn;
    const at = parseInstant(occurredAt ?? 0, this.#timeZone);
    this.#turns += 1;
    this.#conversations.add(conversationId);
    this.#speakers.set(speaker, (this.#speakers.get(speaker) ?? 0) + 1);
    this.#from = Math.min(this.#from, at);
    this.#to = Math.max(this.#to, at);
    this.#last = { conversationId, speaker, occurredAt: at, text };
    if (this.#samples.length < FIRST_SAMPLES) this.#samples.push(this.#last);
  }

  finish(): PreviewedFile {
    const last = this.#last !== null && this.#turns > FIRST_SAMPLES ? [this.#last] : [];
    const speakers = [...this.#speakers].map(([name, turns]) => ({ name, turns }));
    return {
      path: this.#path,
      format: this.#format,
      conversations: this.#conversations.size,
      turns: this.#turns,
      problems: this.#problems,
      from: this.#turns > 0 ? this.#from : null,
      to: this.#turns > 0 ? this.#to : null,
      speakers: speakers.toSorted((a, b) => b.turns - a.turns),
      samples: [...this.#samples, ...last],
      problemSamples: this.#problemSamples,
    };
  }
}
