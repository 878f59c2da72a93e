/** The layout of the topic map: similar topics close together, without overlapping circles. */
import type { PlacedTopic } from './topics.tsx';

export interface Circle {
  readonly item: PlacedTopic;
  readonly x: number;
  readonly y: number;
  readonly r: number;
}

/** Share of the map that all circles cover together. */
const COVERED = 0.36;
const ROUNDS = 60;
const GAP = 3;
/** Successive turns by this angle never coincide. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
const SPREAD = 0.15;

export interface Area {
  readonly width: number;
  readonly height: number;
}

export function layOut(items: readonly PlacedTopic[], area: Area): Circle[] {
  const weights = items.map(({ topic }) => 1 + topic.members);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const scale = Math.sqrt((COVERED * area.width * area.height) / (Math.PI * all));
  const circles = items.map((item, i) => ({
    item,
    ...startOf(item, { share: Math.sqrt((i + 0.5) / items.length), turn: i * GOLDEN_ANGLE }, area),
    r: Math.max(4, Math.min(area.height / 6, scale * Math.sqrt(weights[i] ?? 1))),
  }));
  for (let round = 0; round < ROUNDS; round++) if (!pushApart(circles, area)) break;
  return circles;
}

/**
 * The initial position of a circle: its given place or, without one, a point on a spiral over the whole map. A little
 * of the spiral is added to every place, because equal places take long to push apart.
 */
function startOf(
  { x, y }: PlacedTopic,
  spiral: { readonly share: number; readonly turn: number },
  { width, height }: Area,
): { x: number; y: number } {
  const weight = x === 0 && y === 0 ? 1 : SPREAD;
  const at = (place: number, direction: number) =>
    (1 + (1 - weight) * place + weight * spiral.share * direction) / 2;
  return { x: at(x, Math.cos(spiral.turn)) * width, y: at(y, Math.sin(spiral.turn)) * height };
}

type Moving = { -readonly [Name in keyof Circle]: Circle[Name] };

/** Compares each circle with those in the neighbouring cells. Returns whether any has moved. */
function pushApart(circles: readonly Moving[], { width, height }: Area): boolean {
  const cell = 2 * Math.max(...circles.map(({ r }) => r)) + GAP;
  const columns = Math.ceil(width / cell) + 1;
  const cellOf = ({ x, y }: Moving) => Math.floor(y / cell) * columns + Math.floor(x / cell);
  const cells = Map.groupBy(circles, cellOf);
  let hasMoved = false;
  for (const circle of circles) {
    const at = cellOf(circle);
    for (const row of [-columns, 0, columns])
      for (const column of [-1, 0, 1])
        for (const other of cells.get(at + row + column) ?? [])
          if (other !== circle && separate(circle, other)) hasMoved = true;
    circle.x = Math.min(width - circle.r, Math.max(circle.r, circle.x));
    circle.y = Math.min(height - circle.r, Math.max(circle.r, circle.y));
  }
  return hasMoved;
}

function separate(a: Moving, b: Moving): boolean {
  const [dx, dy] = [b.x - a.x || 0.01 * (b.item.topic.id - a.item.topic.id), b.y - a.y || 0.01];
  const distance = Math.hypot(dx, dy);
  const missing = a.r + b.r + GAP - distance;
  if (missing <= 0.5) return false;
  const share = missing / distance / 2;
  a.x -= dx * share;
  a.y -= dy * share;
  b.x += dx * share;
  b.y += dy * share;
  return true;
}
