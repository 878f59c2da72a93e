/** The code of an error of the operating system (`ENOENT`); empty when there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
