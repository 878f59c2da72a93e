// Empties dist/ before a build, so that nothing deleted from src lives on in a package.
import { rmSync } from 'node:fs';

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
