import envPaths from 'env-paths';

/** Where memories lie unless told otherwise: the platform's folder for an application's data. */
export function defaultDataDir(): string {
  return envPaths('omoide', { suffix: '' }).data;
}
