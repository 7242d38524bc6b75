import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { errorCatalogue, errorEntry } from './error-catalogue.ts';

const root = join(import.meta.dirname, '../../../..');

/** Sources that are shipped. */
const sources = globSync('{apps,domains,packages}/*/src/**/*.ts', { cwd: root }).filter(
  file => !/(\.test\.ts$|\/test-|contract|^packages\/testing\/)/.test(file),
);

/** The codes of all errors that the sources construct. */
const constructed = sources.flatMap(file =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /(?:ChandleryError|usageError|smError|apiError)\(\s*'([\w:-]+)'/g,
    ),
  ].map(([, code = '']) => code),
);

/** A table of codes, and what codes of it are called at the edge. */
interface CodeTable {
  readonly file: string;
  readonly name: string;
  readonly codeOf?: (key: string) => string;
}

const tables: readonly CodeTable[] = [
  { file: 'packages/api/src/api-errors.ts', name: 'apiErrorCodes' },
  { file: 'packages/client/src/client-errors.ts', name: 'clientErrorCodes' },
  { file: 'packages/http/src/http-errors.ts', name: 'httpErrorCodes' },
  { file: 'packages/platform/src/config/config-errors.ts', name: 'configErrorCodes' },
  { file: 'packages/platform/src/tokens/token-errors.ts', name: 'tokenErrorCodes' },
  { file: 'packages/kernel/src/store/store.ts', name: 'storeErrorCodes' },
  { file: 'packages/kernel/src/backup/backup-errors.ts', name: 'backupErrorCodes' },
  { file: 'packages/workflow/src/errors.ts', name: 'workflowErrorCodes' },
  { file: 'packages/runtime/src/helpers/errors.ts', name: 'runtimeErrorCodes' },
  { file: 'packages/sdk/src/model/sdk-errors.ts', name: 'sdkErrorCodes' },
  { file: 'domains/fleet/src/port-errors.ts', name: 'portErrorCodes' },
  { file: 'domains/brokers/src/errors.ts', name: 'smErrorCodes' },
  { file: 'domains/clusters/src/errors.ts', name: 'clusterErrorCodes' },
  { file: 'domains/providers/src/errors.ts', name: 'providerErrorCodes' },
  { file: 'domains/mesh/src/errors.ts', name: 'discoveryErrorStatus' },
  { file: 'domains/mesh/src/ports/clouds.ts', name: 'cloudErrorCodes' },
  { file: 'domains/fleet/src/errors.ts', name: 'fleetErrorCodes', codeOf: number => `Fleet${number}` },
  { file: 'domains/orders/src/errors.ts', name: 'ordersErrorCodes', codeOf: code => `Orders:${code}` },
];

/** Tables are internal to their packages, so that they are loaded by their files. */
async function codesIn({ file, name, codeOf = code => code }: CodeTable): Promise<readonly string[]> {
  const { [name]: table } = (await import(join(root, file))) as Record<string, object | undefined>;
  assert.ok(table, `${file} exports ${name}`);
  const codes = Array.isArray(table) ? (table as string[]) : Object.keys(table);
  return codes.map(codeOf);
}

test('every code that the command line, the server and the programs beside it can print is explained', async () => {
  const codes = new Set([...constructed, ...(await Promise.all(tables.map(codesIn))).flat()]);
  assert.ok(codes.size > 250, `the sources were read: ${codes.size}`);
  const isKnown = (code: string): boolean => errorEntry(code)?.[0] === code;
  assert.deepEqual([...codes].filter(code => !isKnown(code)).toSorted(), []);
});

test('no table of codes is left out', () => {
  const declared = sources.flatMap(file =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^export const (\w*[eE]rrorCodes)\b/gm)].map(
      ([, name]) => name,
    ),
  );
  const known = tables.map(({ name }) => name);
  assert.deepEqual(
    declared.filter(name => !known.includes(name ?? '') && name !== 'unusedErrorCodes' && name !== 'usageErrorCodes'),
    [],
  );
});

test('codes are found as people write them', () => {
  assert.equal(errorEntry('forbidden')?.[0], 'Forbidden');
  assert.equal(errorEntry('DINOSAURS-MGMT-5')?.[0], 'Fleet5');
  assert.equal(errorEntry('nonsense'), undefined);
});

test('every entry says in whole sentences what it means and what to do', () => {
  const wrong = Object.entries(errorCatalogue).filter(
    ([, { means, next }]) => !/^[A-Z].*\.$/.test(means) || !/^[A-Z].*\.$/.test(next),
  );
  assert.deepEqual(wrong, []);
});
