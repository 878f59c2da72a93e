import envPaths from 'env-paths';

/** The default folder of memories: the platform's folder for application data. */
export function defaultDataDir(): string {
  return envPaths('omoide', { suffix: '' }).data;
}
