/** The number of turns and the mood of each day, computed from the episodes. */
import { DAY_MS, EMOTION_KEYS, instantToWallClock, type Emotion, type Instant } from '../../model/model.ts';
import { feelingPages, type Store, type UnitFeeling } from '../../store/store.ts';

export interface DayOverview {
  /** `2026-03-01`, by the clock of the memory. */
  readonly date: string;
  readonly turns: number;
  /** Mean emotion of its episodes, weighted by confidence and salience; null: unknown. */
  readonly mood: Emotion | null;
}

interface DaySum {
  turns: number;
  weight: number;
  confidence: number;
  felt: number;
  readonly values: Map<(typeof EMOTION_KEYS)[number], number>;
}

const PAGE = 5_000;
/** A day is at most this much shorter when the clock is changed. */
const MAX_CLOCK_SHIFT_MS = 3 * 3_600_000;

/** Days with episodes, oldest first. */
export async function listDays(store: Store): Promise<readonly DayOverview[]> {
  const sums = new Map<string, DaySum>();
  const dateOf = createDateOf(store.timeZone);
  for await (const felt of feelings(store)) add(sums, dateOf(felt.occurredAt), felt);
  return Array.from(sums, ([date, sum]) => ({ date, turns: sum.turns, mood: moodOf(sum) }));
}

/** The day of an instant. Instants come in order, so most are of the day of the one before. */
function createDateOf(timeZone: string): (at: Instant) => string {
  let [date, since, until] = ['', 0, 0];
  return (at) => {
    if (since <= at && at < until) return date;
    const wallClock = instantToWallClock(at, timeZone);
    date = new Date(wallClock).toISOString().slice(0, 10);
    [since, until] = [at, at + DAY_MS - (wallClock % DAY_MS) - MAX_CLOCK_SHIFT_MS];
    return date;
  };
}

async function* feelings(store: Store): AsyncGenerator<UnitFeeling> {
  for await (const page of feelingPages(store, { kinds: ['episode'] }, { limit: PAGE, oldestFirst: true })) {
    yield* page;
    // Recalls have priority.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

function add(sums: Map<string, DaySum>, date: string, { emotion, salience }: UnitFeeling): void {
  const sum = sums.get(date) ?? { turns: 0, weight: 0, confidence: 0, felt: 0, values: new Map() };
  sums.set(date, sum);
  sum.turns += 1;
  if (!emotion) return;
  const weight = emotion.confidence * salience;
  sum.weight += weight;
  sum.confidence += emotion.confidence;
  sum.felt += 1;
  for (const key of EMOTION_KEYS) {
    const value = emotion.values[key];
    if (value !== undefined) sum.values.set(key, (sum.values.get(key) ?? 0) + weight * value);
  }
}

function moodOf({ weight, confidence, felt, values }: DaySum): Emotion | null {
  if (weight <= 0) return null;
  return {
    values: Object.fromEntries(Array.from(values, ([key, value]) => [key, value / weight])),
    confidence: confidence / felt,
  };
}
