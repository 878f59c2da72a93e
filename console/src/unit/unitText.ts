import type { Unit } from '../api/queries.ts';

/** The text of a unit, in one or a few lines. */
export function unitText({ kind, payload }: Pick<Unit, 'kind' | 'payload'>): string {
  if (kind === 'fact' && 'predicate' in payload)
    return `${payload.subject} · ${payload.predicate} · ${payload.object}`;
  return 'text' in payload ? payload.text : '';
}

/** The server's form of a correction with another object or text; null for episodes. */
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

/** The editable text of a unit: for a fact its object. */
export function correctable(unit: Unit): string {
  return unit.kind === 'fact' ? unit.payload.object : unitText(unit);
}

export function evidenceOf({ payload }: Unit): readonly number[] {
  return 'evidence' in payload ? payload.evidence : [];
}
