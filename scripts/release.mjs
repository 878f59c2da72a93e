// Prepares a release: node scripts/release.mjs 0.2.0 Sets the version, gives the changelog's “Unreleased” its number
// and date, builds, checks the package, commits and tags. Pushing the tag starts .github/workflows/release.yml, which
// publishes the package.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [version = ''] = process.argv.slice(2);

function fail(reason) {
  process.stderr.write(`release: ${reason}\n`);
  process.exit(1);
}

function run(command, ...args) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) fail(`${command} ${args.join(' ')} failed; nothing was tagged.`);
}

function output(command, ...args) {
  return spawnSync(command, args, { cwd: root, encoding: 'utf8' }).stdout.trim();
}

const packageFile = `${root}package.json`;
const changelogFile = `${root}CHANGELOG.md`;
const manifest = JSON.parse(readFileSync(packageFile, 'utf8'));
const changelog = readFileSync(changelogFile, 'utf8');

if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) fail('say which version: node scripts/release.mjs 0.2.0');
if (!manifest.repository)
  fail(
    'package.json has no “repository” yet; npm needs it for the provenance. Set it, “homepage” and “bugs”.',
  );
if (output('git', 'status', '--porcelain') !== '') fail('commit or remove what has changed first.');
if (!changelog.includes('## Unreleased\n')) fail('CHANGELOG.md has no section “Unreleased”.');

run('npm', 'version', version, '--no-git-tag-version');
const day = new Date().toISOString().slice(0, 10);
writeFileSync(
  changelogFile,
  changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version}, ${day}\n`),
);
run('npm', 'test');
run('npm', 'run', 'test:slow');
run('npm', 'run', 'build');
run('npx', 'publint');
run('git', 'commit', '-am', `Release ${version}`);
run('git', 'tag', `v${version}`);
process.stdout.write(
  'Ready. To publish:\n  git push --follow-tags\n.github/workflows/release.yml then runs npm publish --provenance.\n',
);
