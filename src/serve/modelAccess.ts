/** What the models of a change of the settings may reach: whoever holds a token is not the one who starts the server. */
import { isKnownKeyVariable, isRestrictedAddress } from '../engine/engine.ts';
import type { OperatorSettings, SettingsPatch } from '../settings/settings.ts';
import { invalidFields, type FieldError } from './problem.ts';

/** Said when the server is started. */
export interface ModelAccess {
  /** Environment variables that settings may name as `apiKeyEnv`, in addition to those that begin with the prefix. */
  readonly keyVariables: readonly string[];
  /** Hosts that settings may name although their addresses are link-local or hold a cloud's metadata. */
  readonly modelHosts: readonly string[];
}

export const NO_ACCESS: ModelAccess = { keyVariables: [], modelHosts: [] };

/** Variables that begin with it are keys of models, to be named by whoever may change the settings. */
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
 * Refuses presets that name an environment variable or an address that nobody allowed. Those that stay as they are pass:
 * the operator may have set them on the command line.
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
  const detail = `is a link-local or metadata address; if it is meant, start the server with --model-hosts ${hostname}`;
  return [{ in: 'body', pointer: `${at}/url`, detail }];
}
