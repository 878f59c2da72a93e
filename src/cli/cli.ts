#!/usr/bin/env node
/** The command line. docs/cli.md describes its arguments, output and exit codes. */
const OLDEST_NODE = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `omoide needs Node.js ${OLDEST_NODE} or newer; this is ${process.versions.node}.\n` +
      '→ Install it from https://nodejs.org/ (or: nvm install 24), or run it once with ' +
      `npx --package=node@${OLDEST_NODE} --package=omoide omoide …\n`,
  );
  process.exitCode = 1;
} else {
  // Loaded dynamically: on an older Node these modules would fail with an unclear error.
  const { enableCompileCache } = await import('node:module');
  // V8's compiled code is cached in the folder for temporary files, so that the next start is faster.
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
