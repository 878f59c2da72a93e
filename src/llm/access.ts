/** Address and key of a remote model. */
import { z } from 'zod';
import { MemoryError } from '../model/model.ts';

/**
 * The address of an HTTP endpoint. It is shown in errors and stored with vectors, so it must not contain anything
 * secret or variable: no user, password, query or fragment.
 */
export const endpointUrlSchema = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .refine(
    isPlainAddress,
    'must hold no user, password, query or fragment; keys come from an environment variable',
  );

/** The name of the environment variable that contains a key. Keys themselves are never part of these settings. */
export const apiKeyEnvSchema = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable');

export type Environment = Readonly<Record<string, string | undefined>>;

/** The key in the environment variable `name`; undefined when no variable is named. @throws MemoryError INVALID_INPUT when it is not set */
export function readApiKey(environment: Environment, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const key = environment[name]?.trim();
  if (!key) throw new MemoryError('INVALID_INPUT', `The environment variable ${name} must hold the API key.`);
  return key;
}

const MAX_EXCERPT_LENGTH = 300;

/** A server's message, shortened for an error message and without the key, which some servers repeat. */
export function excerpt(words: string, apiKey: string | undefined): string {
  const safe = apiKey === undefined ? words : words.replaceAll(apiKey, '[key]');
  const line = safe.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_EXCERPT_LENGTH ? line : `${line.slice(0, MAX_EXCERPT_LENGTH)}…`;
}

function isPlainAddress(address: string): boolean {
  if (!URL.canParse(address)) return true; // reported by the check before this one
  const { username, password, search, hash } = new URL(address);
  return username + password + search + hash === '';
}
