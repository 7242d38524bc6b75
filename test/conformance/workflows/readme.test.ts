import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { casesOf, subjects } from './support/cases.ts';

const root = join(import.meta.dirname, '../../..');
const text = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
const cells = [...text.matchAll(/^\|.*\|(?<shown>[^|]*)\|$/gm)].map(({ groups }) => groups?.['shown'] ?? '');
const named = cells.flatMap(cell =>
  [...cell.matchAll(/`(?<name>[^`]+)`/g)].map(({ groups }) => groups?.['name'] ?? ''),
);
const names = subjects.flatMap(subject => casesOf(subject).map(({ name }) => name));
const shows = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

test('the table of rules names tests that exist', () => {
  const isThere = (name: string): boolean =>
    name.includes('/') ? existsSync(join(root, name)) : names.some(candidate => shows(name, candidate));
  assert.deepEqual([named.length > 200, named.filter(name => !isThere(name))], [true, []]);
});

test('the table of rules names every case', () => {
  assert.deepEqual(
    names.filter(name => !named.some(pattern => shows(pattern, name))),
    [],
  );
});
