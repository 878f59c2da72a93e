/** The environment variables that a child process needs to open memories of this process. */
export function masterKeyVariables(): Record<string, string> {
  const names = ['OMOIDE_MASTER_KEY', 'OMOIDE_TEST_MASTER_KEY'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
