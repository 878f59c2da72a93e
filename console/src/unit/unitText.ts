import type { Unit } from '../api/queries.ts';

/** What a unit says, in a line or a few. */
export function unitText({ kind, payload }: Pick<Unit, 'kind' | 'payload'>): string {
  if (kind === 'fact' && 'predicate' in payload)
    return `${payload.subject}｜${payload.predicate}｜${payload.object}`;
  return 'text' in payload ? payload.text : '';
}

/** The same words with a better object or text, as the server takes a correction; null of what was said. */
export function corrected(unit: Unit, words: string) {
  switch (unit.kind) {
    case 'fact':
      return { kind: unit.kind, payload: { ...unit.payload, object: words } };
    case 'summary':
      return { kind: unit.kind, payload: { ...unit.payload, text: words } };
    case 'loop':
      return { kind: unit.kind, payload: { ...unit.payload, text: words } };
    case 'capsule':
      return { kind: unit.kind, payload: { ...unit.payload, text: words } };
    case 'note':
      return { kind: unit.kind, payload: { ...unit.payload, text: words } };
    case 'episode':
      return null;
  }
}

/** What of a unit is corrected: of a fact what it says of its subject. */
export function correctable(unit: Unit): string {
  return unit.kind === 'fact' ? unit.payload.object : unitText(unit);
}

export function evidenceOf({ payload }: Unit): readonly number[] {
  return 'evidence' in payload ? payload.evidence : [];
}
