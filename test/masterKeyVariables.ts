/** What a process that is started needs, to open the memories that this one made with a master key of its environment. */
export function masterKeyVariables(): Record<string, string> {
  const names = ['OMOIDE_MASTER_KEY', 'OMOIDE_TEST_MASTER_KEY'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
