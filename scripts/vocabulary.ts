// Writes dist/text/o200k.bin: the tokenizer's vocabulary with its tables, ready to be read by src/text/tokens.ts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { vocabularyOfPackage } from '../src/text/tokens.ts';

const folder = new URL('../dist/text/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('o200k.bin', folder), vocabularyOfPackage().toBytes());
