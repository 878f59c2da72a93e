export const SENSITIVE_KINDS = [
  'apiKey',
  'password',
  'card',
  'bankAccount',
  'passport',
  'nationalId',
  'phone',
  'email',
  'address',
] as const;
export type SensitiveKind = (typeof SENSITIVE_KINDS)[number];

export interface SensitiveSpan {
  readonly kind: SensitiveKind;
  /** UTF-16 units; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}
