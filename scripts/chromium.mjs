// Installs Debian's Chromium and fonts for Japanese and Chinese for the browser tests, unless they are installed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FONTS = [
  '/usr/share/fonts/opentype/noto',
  '/usr/share/fonts/noto-cjk',
  '/usr/share/fonts/google-noto-cjk',
];

const missing = [
  ...(PLACES.some((path) => existsSync(path)) ? [] : ['chromium']),
  ...(FONTS.some((path) => existsSync(path)) ? [] : ['fonts-noto-cjk']),
];
if (missing.length > 0) {
  process.stderr.write(`omoide: installing ${missing.join(' and ')} for the browser tests …\n`);
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const run = (...args) =>
    spawnSync([...sudo, 'apt-get'][0], [...sudo, 'apt-get', ...args].slice(1), { stdio: ['ignore', 2, 2] });
  const env = run('-o', 'Acquire::Retries=3', '-qq', 'update');
  const installed = run(
    '-o',
    'Acquire::Retries=3',
    '-qq',
    '-y',
    '--no-install-recommends',
    'install',
    ...missing,
  );
  if (env.error || installed.status !== 0) {
    process.stderr.write(
      `omoide: the browser tests need ${missing.join(' and ')}: apt-get install ${missing.join(' ')}\n`,
    );
    process.exit(1);
  }
}
