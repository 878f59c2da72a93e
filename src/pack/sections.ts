/** In the order in which they stand. */
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

/** Which section loses entries first when the budget is short. Persona and contract stay; the capsule goes last. */
export const GIVE_WAY_ORDER: readonly SectionName[] = [
  'EPISODE_EVIDENCE',
  'OPEN_LOOPS',
  'SHARED_NARRATIVE',
  'STABLE_FACTS',
  'CONTEXT_CAPSULE',
];

/** One thing said in a section: lines that stand or fall together. */
export interface Entry {
  /** Already quoted: no line can be taken for a heading. */
  readonly lines: readonly string[];
  readonly unitIds: readonly number[];
}

export interface Section {
  readonly name: SectionName;
  /** The operator's own words, in sections that hold them. */
  readonly own: string;
  /** Best first. */
  readonly entries: readonly Entry[];
}
