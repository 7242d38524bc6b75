import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConfigSources, loadConfig } from './load-config.ts';
import { choice, integer, optionalPort, port, structured, text, toggle } from './option.ts';
import { renderHelp } from './render-help.ts';

const table = {
  dataDir: text({ about: 'A folder.', valueName: 'DIR', default: '.data' }),
  port: port({ about: 'A port.', default: 1 }),
  httpPort: optionalPort({ about: 'Another port.', default: undefined, defaultText: 'off' }),
  logLevel: choice(['debug', 'info'], { about: 'A level.', default: 'info' }),
  logFormat: choice(['text', 'json'], { about: 'A format.', default: 'text' }),
  dryRun: toggle({ about: 'Only try.', default: false }),
  history: integer({ min: 1, max: 9 }, { about: 'A number.', default: 5 }),
  list: structured(value => value as unknown[], {
    about: 'A list.',
    default: [],
    defaultText: '',
    from: ['environment', 'file'],
  }),
};
type Values = ReturnType<typeof loadConfig<typeof table>>['values'];

const yaml = (content: string): ConfigSources['file'] => ({ path: 'chandlery.yaml', text: content });

const accepted: readonly { why: string; sources: ConfigSources; expected: Partial<Values> }[] = [
  {
    why: 'without sources the defaults count',
    sources: {},
    expected: { dataDir: '.data', port: 1, httpPort: undefined, dryRun: false },
  },
  { why: 'a file wins over the default', sources: { file: yaml('port: 2') }, expected: { port: 2 } },
  {
    why: 'the environment wins over the file',
    sources: { file: yaml('port: 2'), env: { CHANDLERY_PORT: '3' } },
    expected: { port: 3 },
  },
  {
    why: 'a flag wins over all',
    sources: { file: yaml('port: 2'), env: { CHANDLERY_PORT: '3' }, argv: ['--port', '4'] },
    expected: { port: 4 },
  },
  {
    why: 'each option is settled by itself',
    sources: { file: yaml('port: 2\ndata-dir: /f'), env: { CHANDLERY_DATA_DIR: '/e' }, argv: ['--history', '1'] },
    expected: { port: 2, dataDir: '/e', history: 1 },
  },
  {
    why: 'flags may carry their value',
    sources: { argv: ['--data-dir=/a=b', '--port=0'] },
    expected: { dataDir: '/a=b', port: 0 },
  },
  { why: 'the last flag counts', sources: { argv: ['--port', '4', '--port', '5'] }, expected: { port: 5 } },
  { why: 'a single dash is a value', sources: { argv: ['--data-dir', '-'] }, expected: { dataDir: '-' } },
  {
    why: 'a switch needs no value',
    sources: { argv: ['--dry-run', '--port', '2'] },
    expected: { dryRun: true, port: 2 },
  },
  {
    why: 'a switch can be switched off',
    sources: { env: { CHANDLERY_DRY_RUN: 'true' }, argv: ['--no-dry-run'] },
    expected: { dryRun: false },
  },
  { why: 'a switch may have a value', sources: { argv: ['--dry-run=false'] }, expected: { dryRun: false } },
  { why: 'an empty variable is not set', sources: { env: { CHANDLERY_PORT: '' } }, expected: { port: 1 } },
  {
    why: 'strange variables are left alone',
    sources: { env: { CHANDLERY_TOKEN: 'x', PORT: '9' } },
    expected: { port: 1 },
  },
  {
    why: 'off overrides',
    sources: { env: { CHANDLERY_HTTP_PORT: '8080' }, argv: ['--http-port', 'off'] },
    expected: { httpPort: undefined },
  },
  { why: 'YAML’s own off works too', sources: { file: yaml('http-port: off') }, expected: { httpPort: undefined } },
  {
    why: 'keys in camel case',
    sources: { file: yaml('dataDir: /x\nlogLevel: debug') },
    expected: { dataDir: '/x', logLevel: 'debug' },
  },
  {
    why: 'keys in groups',
    sources: { file: yaml('log:\n  level: debug\n  format: json') },
    expected: { logLevel: 'debug', logFormat: 'json' },
  },
  { why: 'an empty file', sources: { file: yaml('# nothing\n') }, expected: { port: 1 } },
  { why: 'an empty value is not set', sources: { file: yaml('port:\n') }, expected: { port: 1 } },
  { why: 'a structure in the file', sources: { file: yaml('list:\n  - a: 1') }, expected: { list: [{ a: 1 }] } },
  { why: 'a structure in the environment', sources: { env: { CHANDLERY_LIST: '[1,2]' } }, expected: { list: [1, 2] } },
];
for (const { why, sources, expected } of accepted) {
  test(`settings: ${why}`, () => {
    const { values } = loadConfig(table, sources);
    for (const [key, value] of Object.entries(expected)) assert.deepEqual(values[key as keyof Values], value, key);
  });
}

test('the source of each setting is known', () => {
  const { sources } = loadConfig(table, {
    argv: ['--port', '4'],
    env: { CHANDLERY_HISTORY: '2' },
    file: yaml('data-dir: /x'),
  });
  assert.deepEqual(
    [sources.port, sources.history, sources.dataDir, sources.dryRun],
    ['flag', 'environment', 'file', 'default'],
  );
});

const refused: readonly { why: string; sources: ConfigSources; code: string; message: string | RegExp }[] = [
  {
    why: 'a mistyped flag',
    sources: { argv: ['--prot', '1'] },
    code: 'UnknownOption',
    message: 'unknown flag "--prot"; did you mean "--port"?',
  },
  {
    why: 'a mistyped flag with a value',
    sources: { argv: ['--dta-dir=pa55word'] },
    code: 'UnknownOption',
    message: 'unknown flag "--dta-dir"; did you mean "--data-dir"?',
  },
  {
    why: 'a flag like nothing',
    sources: { argv: ['--frobnicate'] },
    code: 'UnknownOption',
    message: 'unknown flag "--frobnicate"',
  },
  {
    why: 'a file-only option as a flag',
    sources: { argv: ['--list', '[]'] },
    code: 'UnknownOption',
    message: /unknown flag "--list"/,
  },
  { why: 'negating what is no switch', sources: { argv: ['--no-port'] }, code: 'UnknownOption', message: /--no-port/ },
  {
    why: 'a negated switch with a value',
    sources: { argv: ['--no-dry-run=true'] },
    code: 'UnexpectedArgument',
    message: '--no-dry-run takes no value',
  },
  {
    why: 'a mistyped key',
    sources: { file: yaml('dataDri: x') },
    code: 'UnknownOption',
    message: 'unknown key in chandlery.yaml: "dataDri"; did you mean "data-dir"?',
  },
  {
    why: 'a mistyped key in a group',
    sources: { file: yaml('log:\n  levle: debug') },
    code: 'UnknownOption',
    message: 'unknown key in chandlery.yaml: "log-levle"; did you mean "log-level"?',
  },
  { why: 'a flag without value', sources: { argv: ['--port'] }, code: 'MissingValue', message: '--port needs a value' },
  {
    why: 'a flag followed by a flag',
    sources: { argv: ['--data-dir', '--port', '1'] },
    code: 'MissingValue',
    message: '--data-dir needs a value',
  },
  {
    why: 'a stray argument',
    sources: { argv: ['up'] },
    code: 'UnexpectedArgument',
    message: 'unexpected argument "up"',
  },
  {
    why: 'a stray address',
    sources: { argv: ['postgres://u:pa55word@h'] },
    code: 'UnexpectedArgument',
    message: 'unexpected argument "postgres://u:***@h"',
  },
  {
    why: 'a word as number',
    sources: { argv: ['--port', 'http'] },
    code: 'InvalidOption',
    message: '--port must be a whole number from 0 to 65535, not "http"',
  },
  {
    why: 'a port too high',
    sources: { env: { CHANDLERY_PORT: '65536' } },
    code: 'InvalidOption',
    message: 'CHANDLERY_PORT must be a whole number from 0 to 65535, not "65536"',
  },
  {
    why: 'a fraction',
    sources: { file: yaml('history: 1.5') },
    code: 'InvalidOption',
    message: '"history" in chandlery.yaml must be a whole number from 1 to 9',
  },
  { why: 'hexadecimal digits', sources: { argv: ['--port', '0x10'] }, code: 'InvalidOption', message: /whole number/ },
  {
    why: 'a list as text',
    sources: { file: yaml('data-dir: [a]') },
    code: 'InvalidOption',
    message: '"data-dir" in chandlery.yaml must be a text',
  },
  {
    why: 'an empty text',
    sources: { argv: ['--data-dir='] },
    code: 'InvalidOption',
    message: '--data-dir must not be empty',
  },
  {
    why: 'a wrong choice',
    sources: { argv: ['--log-level', 'loud'] },
    code: 'InvalidOption',
    message: '--log-level must be one of debug, info, not "loud"',
  },
  {
    why: 'a wrong switch',
    sources: { env: { CHANDLERY_DRY_RUN: 'maybe' } },
    code: 'InvalidOption',
    message: 'CHANDLERY_DRY_RUN must be true or false',
  },
  {
    why: 'no JSON',
    sources: { env: { CHANDLERY_LIST: '[' } },
    code: 'InvalidOption',
    message: 'CHANDLERY_LIST must be JSON',
  },
  {
    why: 'a wrong value that a flag overrides',
    sources: { file: yaml('port: x'), argv: ['--port', '1'] },
    code: 'InvalidOption',
    message: /"port" in chandlery.yaml/,
  },
  {
    why: 'a file that is no YAML',
    sources: { file: yaml('port: 1\ndata-dir: "pa55word') },
    code: 'ConfigFileInvalid',
    message: /^chandlery.yaml is not valid YAML \(line 2, column \d+, [A-Z_]+\)$/,
  },
  {
    why: 'a file that is a list',
    sources: { file: yaml('- port') },
    code: 'ConfigFileInvalid',
    message: 'chandlery.yaml must hold keys and values',
  },
  { why: 'a stray alias', sources: { file: yaml('port: *x') }, code: 'ConfigFileInvalid', message: /alias/ },
  {
    why: 'a key twice',
    sources: { file: yaml('dataDir: a\ndata-dir: b') },
    code: 'ConfigFileInvalid',
    message: 'chandlery.yaml sets "data-dir" twice',
  },
  {
    why: 'the same key twice',
    sources: { file: yaml('port: 1\nport: 2') },
    code: 'ConfigFileInvalid',
    message: /DUPLICATE_KEY/,
  },
];
for (const { why, sources, code, message } of refused) {
  test(`settings with ${why} are rejected`, () => {
    assert.throws(() => loadConfig(table, sources), { code, message });
    assert.throws(
      () => loadConfig(table, sources),
      (error: Error) => !error.message.includes('pa55word'),
    );
  });
}

test('the help lists every option with default and variable', () => {
  assert.equal(
    renderHelp(
      { dataDir: table.dataDir, httpPort: table.httpPort, dryRun: table.dryRun, list: table.list },
      { usage: 'prog up [options]', examples: ['prog up --data-dir /data'] },
    ),
    `Examples:
  prog up --data-dir /data

Usage: prog up [options]

Options:
  --data-dir DIR  A folder. Default: .data. [CHANDLERY_DATA_DIR]
  --http-port N   Another port. Default: off. [CHANDLERY_HTTP_PORT]
  --dry-run       Only try. Default: false. [CHANDLERY_DRY_RUN]
  (list)          A list. [CHANDLERY_LIST]

Each option can also be set by the environment variable in brackets or in
chandlery.yaml, under the name of its flag without the dashes. Flags win over
the environment, the environment over the file.
`,
  );
});
