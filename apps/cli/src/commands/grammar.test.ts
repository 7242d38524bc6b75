import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { tempFolder } from '@chandlery/testing';
import { commandNamed } from '../args/find-command.ts';
import { flagsOf, formatsOf } from '../args/global-flags.ts';
import { complete } from '../completion/complete.ts';
import { errorEntry } from '../help/error-catalogue.ts';
import { resultFormats } from '../output/print-object.ts';
import { reportError } from '../output/report-error.ts';
import { runCli } from '../test-cli.ts';
import { commands } from './index.ts';

const shown = commands.filter(({ isHidden = false }) => !isHidden);
const textWidth = 80;

/** A command line as one word after another, however it is broken into lines. */
const flat = (text: string): string => text.replace(/ \\\n/g, ' ').replace(/\s+/g, ' ');

describe('help of every command', () => {
  for (const { name, aliases = [], usage, examples, summary, arguments: wanted = {} } of shown) {
    test(`${name}: a summary of one line, examples first, no line too long, under all of its names`, async () => {
      assert.match(summary, /^[A-Z].*[^.]$/);
      assert.ok(summary.length < textWidth);
      assert.ok(examples.length > 0);
      const { code, stdout, stderr } = await runCli(['help', ...name.split(' ')]);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^[A-Z].*\.\n\nExamples:\n {2}npx chandlery /);
      assert.ok(stdout.indexOf('Examples:') < stdout.indexOf('Usage:'));
      assert.ok(flat(stdout).includes(flat(`Usage: npx chandlery ${name} ${usage}`)));
      for (const example of examples) {
        assert.ok(example.startsWith('chandlery ') || example.includes('| chandlery '), example);
        assert.ok(flat(stdout).includes(flat(`npx ${example}`)), example);
      }
      const long = stdout.split('\n').filter(line => line.length > textWidth && line.trim().includes(' '));
      assert.deepEqual(long, []);
      for (const words of [name, ...aliases]) {
        assert.equal((await runCli([...words.split(' '), '--help'])).stdout, stdout, words);
        assert.equal((await runCli(['help', ...words.split(' ')])).stdout, stdout, words);
      }
      for (const argument of [...(wanted.required ?? []), ...(wanted.optional ?? [])])
        assert.ok(usage.includes(argument) || name === 'help' || usage.includes('|'), argument);
    });
  }
});

/** Four lines, the last one with a code that is explained. */
function assertExplained(stderr: string): void {
  const [, code = ''] = /^Error: cannot .+\nWhy: {3}.+\nNext: {2}.+\nCode: {2}(\S+)\n$/m.exec(stderr) ?? [];
  assert.ok(errorEntry(code), stderr);
}

describe('mistakes and failures of every command', () => {
  for (const { name, hasOwnFlags = false, arguments: { required = [] } = {} } of shown) {
    test(`${name}: a mistake ends with 2 and says what, why and what next`, async () => {
      const cases = [
        ...(hasOwnFlags ? [] : [['--no-such-flag']]),
        ...(required.length === 0 ? [] : [[]]),
        ...(hasOwnFlags ? [] : [[...required.map(word => word.toLowerCase()), '-o', 'no-such-format']]),
      ];
      for (const args of cases) {
        const { code, stdout, stderr } = await runCli([...name.split(' '), ...args]);
        assert.deepEqual([code, stdout], [2, ''], stderr);
        assertExplained(stderr);
      }
    });
  }

  /** They start a landscape, or work without one. */
  const local = new Set(['up', 'demo', 'version', 'help', 'completion', 'context list', 'keys create', 'store verify']);

  for (const { name, examples } of shown) {
    const example = examples.find(text => /^chandlery [\w./:,=@ -]+$/.test(text));
    if (example === undefined || local.has(name)) continue;
    test(`${name}: without a landscape it fails, and says what next`, async () => {
      await using folder = await tempFolder();
      const env = { HOME: folder.path };
      const { code, stderr } = await runCli(example.split(' ').slice(1), { cwd: folder.path, env });
      if (name === 'provider new') return;
      assert.ok(code === 1 || code === 2, `${example}: ${code}`);
      assertExplained(stderr.slice(stderr.indexOf('Error: ')));
    });
  }

  test('an interruption ends with 130', () => {
    const written: string[] = [];
    const stderr = { write: (text: string | Uint8Array) => written.push(String(text)) };
    const io = { stdout: stderr, stderr, env: {}, cwd: '/' };
    assert.equal(reportError(new ChandleryError('Interrupted', 'it was stopped'), { args: [] }, io), 130);
    assertExplained(written.join(''));
  });
});

describe('the grammar', () => {
  test('every name and alias means one command', () => {
    const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
    for (const { name, aliases = [] } of commands)
      for (const words of [name, ...aliases])
        assert.equal(commandNamed(words.split(' '), commands)?.command.name, name, words);
  });

  test('nouns are singular, and their plurals are understood', () => {
    for (const [words, name] of [
      ['clusters list', 'cluster list'],
      ['providers list', 'provider list'],
      ['brokers list', 'broker list'],
      ['visibilities list', 'visibility list'],
      ['fleet instances list', 'fleet instance list'],
    ] as const)
      assert.equal(commandNamed(words.split(' '), commands)?.command.name, name);
  });

  test('the names of smctl mean the commands of nouns and verbs', () => {
    const smctl =
      'rb gb lb ub db rp lp dp rv lv uv dv m lo gi li gsb lsb c i register-broker get-broker list-brokers update-broker ' +
      'delete-broker register-platform list-platforms update-platform delete-platform register-visibility ' +
      'list-visibilities update-visibility delete-visibility marketplace list-offerings list-plans provision ' +
      'get-instance list-instances update-instance deprovision transfer-instance share-instance unshare-instance bind ' +
      'get-binding list-bindings unbind list-operations retry-operation label curl info status';
    for (const word of smctl.split(' ')) assert.ok(commandNamed([word], commands), word);
  });

  test('-f is a file, -y answers prompts, -w watches, and one letter means one thing', () => {
    for (const command of shown) {
      const flags = Object.entries(flagsOf(command));
      const letters = flags
        .flatMap(([, { short, former = [] }]) => [short ?? '', ...former])
        .filter(text => text !== '');
      assert.equal(new Set(letters).size, letters.length, `${command.name}: ${letters.join(' ')}`);
      for (const [name, { short }] of flags) {
        if (short === 'f') assert.match(name, /^(filename|file)$/, command.name);
        if (short === 'y') assert.equal(name, 'yes', command.name);
        if (short === 'w') assert.match(name, /^(watch|follow)$/, command.name);
        if (short === 'o') assert.equal(name, 'output', command.name);
      }
    }
  });

  test('lists and objects are printed in all formats', () => {
    const partial = shown
      .filter(({ name }) => /^(?!provider|completion).* (list|get)$/.test(name))
      .filter(command => resultFormats.some(format => !formatsOf(command).includes(format)))
      .map(({ name }) => name);
    assert.deepEqual(partial, ['artifact get']);
  });

  test('completion offers aliases where nothing else fits', () => {
    assert.deepEqual(complete(['list-b'], commands).candidates, ['list-bindings', 'list-brokers']);
    assert.deepEqual(complete(['brokers', 'l'], commands).candidates, ['list']);
    assert.ok(complete(['list-brokers', '--'], commands).candidates.includes('--field-query'));
    assert.deepEqual(complete(['plan', 'l'], commands).candidates, ['list']);
  });
});
