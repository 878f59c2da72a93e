import type { LanguageModel } from '../../engine/engine.ts';
import type { Instant } from '../../model/model.ts';

/** Model name that selects the configured model. */
const OWN_NAME = 'omoide';

/** The list of models: `omoide`, and the model it uses. */
export function models(model: LanguageModel | null, now: Instant): Record<string, unknown> {
  const created = Math.floor(now / 1_000);
  const entry = (id: string, ownedBy: string) => ({ id, object: 'model', created, owned_by: ownedBy });
  const behind = model ? [entry(model.id.replace(/^[^#]*#/u, ''), 'upstream')] : [];
  return { object: 'list', data: [entry(OWN_NAME, 'omoide'), ...behind] };
}
