import { readApiKey, type Environment } from './access.ts';
import { openBundledEmbedder, openStaticEmbedder } from './bundled.ts';
import type { Embedder } from './embedder.ts';
import { checkEmbedderSettings, type EmbedderSettings } from './embedderSettings.ts';
import { createEndpointEmbedder } from './endpoint.ts';
import { createHashedEmbedder } from './hashed.ts';
import { openOnnxEmbedder } from './onnx.ts';

/**
 * Opens the embedder of the settings. Loads only what is needed: a remote model's library at its first text, a local
 * model here.
 *
 * @param environment where API keys are read, once, by the name in the settings.
 * @throws MemoryError INVALID_INPUT when the settings are invalid or the key they name is not set.
 * @throws MemoryError EMBEDDER_FAILED when a local model cannot be loaded.
 */
export async function openEmbedder(
  settings: EmbedderSettings,
  environment: Environment = process.env,
): Promise<Embedder> {
  const checked = checkEmbedderSettings(settings);
  switch (checked.provider) {
    case 'bundled':
      return openBundledEmbedder();
    case 'static':
      return openStaticEmbedder();
    case 'hashed':
      return createHashedEmbedder();
    case 'endpoint':
      return createEndpointEmbedder(checked, readApiKey(environment, checked.apiKeyEnv));
    default:
      return openOnnxEmbedder(checked);
  }
}
