/** Installs Debian packages for tests that need their programs. */
import { spawnSync } from 'node:child_process';

const INSTALL_MS = 1_500_000;

/** Installs packages as root or with password-less sudo; otherwise does nothing. */
export function installPackages(packages: readonly string[]): void {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const run = (...args: string[]) => {
    const [program = 'apt-get', ...rest] = [...sudo, 'apt-get', '-qq', '-o', 'Acquire::Retries=3', ...args];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync(program, rest, { stdio: 'ignore', timeout: INSTALL_MS, env });
  };
  run('update');
  run('install', '-y', '--no-install-recommends', ...packages);
}

/** A test that cannot run is skipped on a developer's machine, but nothing is skipped in CI. @throws in CI on Linux, where packages can be installed */
export function failInCi(missing: string | null): string | null {
  if (missing !== null && process.platform === 'linux' && process.env['CI'] !== undefined)
    throw new Error(missing);
  return missing;
}
