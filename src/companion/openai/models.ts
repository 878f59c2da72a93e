import type { LanguageModel } from '../../engine/engine.ts';
import type { Instant } from '../../model/model.ts';

/** The name under which the model in use can be asked for, whichever it is. */
const OWN_NAME = 'omoide';

/** The list of models: ours, and the one behind it. */
export function models(model: LanguageModel | null, now: Instant): Record<string, unknown> {
  const created = Math.floor(now / 1_000);
  const entry = (id: string, ownedBy: string) => ({ id, object: 'model', created, owned_by: ownedBy });
  const behind = model ? [entry(model.id.replace(/^[^#]*#/u, ''), 'upstream')] : [];
  return { object: 'list', data: [entry(OWN_NAME, 'omoide'), ...behind] };
}
