#!/usr/bin/env node
/** The command line: what it takes in, what it prints and its exit codes are described in docs/cli.md. */
const OLDEST_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `omoide needs Node.js ${OLDEST_NODE} or newer; this is ${process.versions.node}. See https://nodejs.org/.\n`,
  );
  process.exitCode = 1;
} else {
  // Loaded only now: an older Node does not have what the rest is built on and would stop with an error about that.
  const { enableCompileCache } = await import('node:module');
  // What V8 compiled is kept in the folder for temporary files: the next start takes it from there.
  enableCompileCache();
  const args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    const { readVersion } = await import('./version.ts');
    process.stdout.write(`${readVersion()}\n`);
  } else {
    const { main } = await import('./main.ts');
    process.exitCode = await main(args);
  }
}
