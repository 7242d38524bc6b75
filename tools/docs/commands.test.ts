import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { globalFlags } from '../../apps/cli/src/args/global-flags.ts';
import type { Command } from '../../apps/cli/src/command.ts';
import { commands } from '../../apps/cli/src/commands/index.ts';

const root = join(import.meta.dirname, '../..');
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map(name => `docs/${name}`)].filter(name =>
  name.endsWith('.md'),
);

/** The commands of the CLI in the shell blocks of a page, without what comments and pipes add. */
function* commandLines(page: string): Iterable<string> {
  const text = readFileSync(join(root, page), 'utf8').replaceAll('\\\n', ' ');
  for (const [, block = ''] of text.matchAll(/^```sh\n([\s\S]*?)^```/gm))
    for (const [, line = ''] of block.matchAll(/(?:^|\$\()(?:npx )?chandlery ([^\n]*)/gm))
      yield line.replace(/\s+#.*$/, '').split(/[|)&;]\s/, 1)[0] as string;
}

const namesOf = ({ name, aliases = [] }: Command): readonly string[] => [name, ...aliases];

const findCommand = (line: string): Command | undefined =>
  commands
    .filter(command => namesOf(command).some(name => line === name || line.startsWith(`${name} `)))
    .sort((one, other) => other.name.length - one.name.length)[0];

/** What is wrong with a command line; undefined: nothing. */
function problemOf(line: string): string | undefined {
  const command = findCommand(line);
  if (command === undefined) return 'there is no such command';
  if (command.hasOwnFlags === true) return undefined;
  const known = new Set([...Object.keys(globalFlags), ...Object.keys(command.options), 'help']);
  const unquoted = line.replaceAll(/'[^']*'|"[^"]*"/g, '');
  const flags = [...unquoted.matchAll(/(?<=\s)--(?:no-)?([a-z][a-z-]*)/g)].map(([, name = '']) => name);
  const unknown = flags.find(flag => !known.has(flag));
  return unknown === undefined ? undefined : `it has no flag --${unknown}`;
}

test('the commands that the documents show exist, with the flags that they show', () => {
  const lines = pages.flatMap(page => [...commandLines(page)].map(line => ({ page, line })));
  assert.ok(lines.length > 60, String(lines.length));
  const wrong = lines.flatMap(({ page, line }) => {
    const problem = problemOf(line);
    return problem === undefined ? [] : [`${page}: chandlery ${line}: ${problem}`];
  });
  assert.deepEqual(wrong, []);
});
