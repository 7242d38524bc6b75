import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { apiErrorCodes } from '@chandlery/api';
import { clientErrorCodes } from '@chandlery/client';
import { configErrorCodes } from '@chandlery/platform';
import { errorCatalogue } from './error-catalogue.ts';

const root = join(import.meta.dirname, '../../../..');

/** The codes of all errors that the sources of the command line and of its libraries construct. */
function codesInSources(): string[] {
  const files = globSync('{apps/cli,apps/server,packages/client,packages/http,packages/platform}/src/**/*.ts', {
    cwd: root,
  });
  const sources = files.filter(file => !/(\.test\.ts$|\/test-|contract)/.test(file));
  return sources.flatMap(file =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(?:ChandleryError|usageError)\(\s*'(\w+)'/g)].map(
      ([, code = '']) => code,
    ),
  );
}

test('every code of the command line and of the client is explained', () => {
  const known = new Set(Object.keys(errorCatalogue));
  const codes = [
    ...Object.keys(apiErrorCodes),
    ...Object.keys(clientErrorCodes),
    ...configErrorCodes,
    ...codesInSources(),
  ];
  assert.ok(codes.length > 100, 'the sources were read');
  assert.deepEqual(
    [...new Set(codes)].filter(code => !known.has(code)),
    [],
  );
});

test('every entry says in whole sentences what it means and what to do', () => {
  const wrong = Object.entries(errorCatalogue).filter(
    ([, { means, next }]) => !/^[A-Z].*\.$/.test(means) || !/^[A-Z].*\.$/.test(next),
  );
  assert.deepEqual(wrong, []);
});
