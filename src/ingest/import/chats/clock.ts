const CLOCK =
  /^(?<before>午前|午後|上午|下午|凌晨|早上|中午|晚上|오전|오후)?\s*(?<h>\d{1,2})[:.](?<min>\d{2})(?:[:.](?<s>\d{2}))?\s*(?<after>[ap]\.?\s?m\.?)?$/i;
const AFTERNOON = /^(?:p|午後|下午|晚上|오후)/i;

/** `22:03:00` for a time as chat programs write it (`10:03 p.m.`, `午後10:03`, `22.03.11`); null when it is not a time. */
export function parseClock(written: string): string | null {
  const found = CLOCK.exec(written.replaceAll(/[\u00A0\u202F]/g, ' ').trim())?.groups;
  if (!found) return null;
  const hour = hourOfDay(Number(found['h']), found['before'] ?? found['after']);
  const [minute, second] = [Number(found['min']), Number(found['s'] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59) return null;
  return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':');
}

function hourOfDay(hour: number, half: string | undefined): number {
  // 凌晨, 早上 and 中午 name a part of the day and do not shift the hour, except 中午 1:00.
  if (half === undefined || hour > 12 || half === '凌晨' || half === '早上') return hour % 24;
  if (half === '中午') return hour < 3 ? hour + 12 : hour;
  return (hour % 12) + (AFTERNOON.test(half) ? 12 : 0);
}
