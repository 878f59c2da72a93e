/** Restricts what models in changed settings can access, since holders of a token are not those who start the server. */
import { isKnownKeyVariable, isRestrictedAddress } from '../engine/engine.ts';
import type { OperatorSettings, SettingsPatch } from '../settings/settings.ts';
import { invalidFields, type FieldError } from './problem.ts';

/** Configured when the server is started. */
export interface ModelAccess {
  /** Environment variables that settings may name as `apiKeyEnv`, in addition to those with the prefix. */
  readonly keyVariables: readonly string[];
  /** Hosts that settings may name even if their addresses are link-local or serve a cloud's metadata. */
  readonly modelHosts: readonly string[];
}

export const NO_ACCESS: ModelAccess = { keyVariables: [], modelHosts: [] };

/** Variables with this prefix are keys of models, and may be named by anyone who can change the settings. */
const KEY_PREFIX = 'OMOIDE_KEY_';

interface Endpoint {
  readonly provider: string;
  readonly url?: string;
  readonly apiKeyEnv?: string | undefined;
}

interface Preset {
  readonly id: string;
  readonly settings: Endpoint;
}

/**
 * Rejects presets that name an environment variable or an address that is not allowed. Unchanged presets pass,
 * since the operator may have set them on the command line.
 * @throws Problem INVALID_INPUT
 */
export function checkModelAccess(patch: SettingsPatch, kept: OperatorSettings, allowed: ModelAccess): void {
  const errors = (['llm', 'embedding'] as const).flatMap((list) =>
    (patch.presets?.[list] ?? []).flatMap((preset: Preset, index) => {
      if (isUnchanged(preset, kept.presets[list])) return [];
      const at = `/presets/${list}/${index}/settings`;
      return [...checkVariable(preset.settings, at, allowed), ...checkAddress(preset.settings, at, allowed)];
    }),
  );
  if (errors.length > 0) throw invalidFields(errors);
}

function isUnchanged({ id, settings }: Preset, kept: readonly Preset[]): boolean {
  const before = kept.find((preset) => preset.id === id)?.settings;
  return before?.url === settings.url && before?.apiKeyEnv === settings.apiKeyEnv;
}

function checkVariable({ url = '', apiKeyEnv }: Endpoint, at: string, allowed: ModelAccess): FieldError[] {
  if (apiKeyEnv === undefined || apiKeyEnv.startsWith(KEY_PREFIX)) return [];
  if (allowed.keyVariables.includes(apiKeyEnv) || isKnownKeyVariable(url, apiKeyEnv)) return [];
  const detail =
    `must begin with ${KEY_PREFIX}, be the usual variable of a known server at its own address, or be allowed when the ` +
    `server starts: --key-variables ${apiKeyEnv}`;
  return [{ in: 'body', pointer: `${at}/apiKeyEnv`, detail }];
}

function checkAddress({ url }: Endpoint, at: string, allowed: ModelAccess): FieldError[] {
  const hostname = URL.parse(url ?? '')?.hostname ?? '';
  if (!isRestrictedAddress(hostname) || allowed.modelHosts.includes(hostname)) return [];
  const detail = `is a link-local or metadata address; to allow it, start the server with --model-hosts ${hostname}`;
  return [{ in: 'body', pointer: `${at}/url`, detail }];
}
