import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstErrorIn } from './first-error.ts';

const typescript = `node:internal/modules/run_main:111
    triggerUncaughtException(
    ^

file:///srv/ice/provider.ts:2
export const b = ;
                 ^

SyntaxError [ERR_INVALID_TYPESCRIPT_SYNTAX]: Expression expected
    at parseTypeScript (node:internal/modules/typescript:61:36)
    at ModuleLoader.loadAndTranslate (node:internal/modules/esm/loader:514:12) {
  code: 'ERR_INVALID_TYPESCRIPT_SYNTAX'
}

Node.js v26.10.0
`;

const inLibrary = `/srv/ice/node_modules/pg/lib/client.js:7
  throw problem;
  ^

Error: no such table
    at Client.query (/srv/ice/node_modules/pg/lib/client.js:7:3)
    at file:///srv/ice/provider.ts:31:20 {
  [cause]: TypeError: inner
}

Node.js v26.10.0
`;

const missing = `node:internal/modules/package_json_reader:343
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'nosuch' imported from /srv/ice/provider.ts
    at packageResolve (node:internal/modules/esm/resolve:751:25)

Node.js v26.10.0
`;

const run = `{"level":"info","message":"starting"}
{"level":"error","message":"cannot start","error":{"message":"access was denied"}}
`;

describe('The first error in the log of a program that has ended', () => {
  const cases: readonly { why: string; log: string; error: string | undefined }[] = [
    {
      why: 'a syntax error has file and line',
      log: typescript,
      error: 'SyntaxError: Expression expected (provider.ts:2)',
    },
    {
      why: 'a place in an installed package gives way to the caller',
      log: inLibrary,
      error: 'no such table (provider.ts:31)',
    },
    {
      why: 'a place inside of Node.js is left out',
      log: missing,
      error: "Cannot find package 'nosuch' imported from /srv/ice/provider.ts",
    },
    { why: 'a sentence at the end', log: `${run}Error: no rights.\n`, error: 'no rights.' },
    { why: 'a line of level error', log: run, error: 'cannot start: access was denied' },
    { why: 'nothing that is known', log: 'reading\nit did not work\n', error: undefined },
  ];
  for (const { why, log, error } of cases) {
    it(why, () => assert.equal(firstErrorIn(log), error));
  }

  it('is looked for in lines of any length without taking more time for each character', () => {
    const log = (line: string): string => `Error: no rights\n    at ${line}\n\nNode.js v24.0.0\n`;
    for (const pattern of [' /', '/a ', '(/a'])
      assert.equal(firstErrorIn(log(pattern.repeat(500_000))), undefined, 'only the end of a log is read');
    assert.equal(firstErrorIn(log(' /'.repeat(20_000))), 'no rights');
  });

  it('is short', () => {
    assert.equal(firstErrorIn(`Error: ${'x'.repeat(2000)}`)?.length, 400);
  });
});
