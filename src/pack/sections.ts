/** In the order of the text. */
export const SECTION_NAMES = [
  'PERSONA_ANCHOR',
  'RELATIONSHIP_CONTRACT',
  'CONTEXT_CAPSULE',
  'STABLE_FACTS',
  'SHARED_NARRATIVE',
  'OPEN_LOOPS',
  'EPISODE_EVIDENCE',
] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

/** The order in which sections lose entries when the budget is short. Persona and contract stay; the capsule is last. */
export const CUT_ORDER: readonly SectionName[] = [
  'EPISODE_EVIDENCE',
  'OPEN_LOOPS',
  'SHARED_NARRATIVE',
  'STABLE_FACTS',
  'CONTEXT_CAPSULE',
];

/** One entry of a section: its lines are kept or removed together. */
export interface Entry {
  /** Already quoted: no line can be mistaken for a heading. */
  readonly lines: readonly string[];
  readonly unitIds: readonly number[];
}

export interface Section {
  readonly name: SectionName;
  /** The operator's own text, in sections that have one. */
  readonly own: string;
  /** Best first. */
  readonly entries: readonly Entry[];
}
