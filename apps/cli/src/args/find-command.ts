import { nearest } from '@chandlery/platform';
import type { Command } from '../command.ts';
import { tokensOf } from './flags.ts';
import { globalFlags } from './global-flags.ts';
import { usageError } from './usage-error.ts';

/** A command line whose command is known. */
export interface FoundCommand {
  readonly command: Command;
  /** Everything but the command's name. */
  readonly rest: readonly string[];
}

/** Finds the command in a command line, wherever global flags stand. Rejects with `UnknownCommand`. */
export function findCommand(args: readonly string[], commands: readonly Command[]): FoundCommand {
  const words = tokensOf(args, globalFlags).filter(token => token.kind === 'positional');
  const name = words.map(({ value }) => value);
  const command = commandNamed(name, commands);
  if (command === undefined) throw unknownCommand(name, commands);
  const used = new Set(words.slice(0, command.name.split(' ').length).map(({ index }) => index));
  return { command, rest: args.filter((_, index) => !used.has(index)) };
}

/** The command that some words begin with. */
export const commandNamed = (words: readonly string[], commands: readonly Command[]): Command | undefined =>
  commands.find(({ name }) => name.split(' ').every((part, index) => part === words[index])) ??
  commands.find(({ aliases = [] }) => aliases.includes(words[0] ?? ''));

/** The commands whose names begin with one word: `clusters list`, `clusters create`, …. */
export const commandsOfGroup = (group: string | undefined, commands: readonly Command[]): readonly Command[] =>
  commands.filter(({ name }) => name.startsWith(`${group} `));

export function unknownCommand([first = '', second]: readonly string[], commands: readonly Command[]): Error {
  const group = commandsOfGroup(first, commands);
  if (group.length === 0) return unknown(first, [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]);
  const names = group.map(({ name }) => name.split(' ')[1] ?? '');
  if (second !== undefined)
    return unknown(
      `${first} ${second}`,
      names.map(name => `${first} ${name}`),
    );
  return usageError('MissingArgument', `say what to do with ${first}: ${names.join(', ')}`, helpHint(first));
}

function unknown(name: string, known: readonly string[]): Error {
  const meant = nearest(name, known);
  const message = `there is no command "${name}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
  return usageError('UnknownCommand', message, helpHint(meant));
}

const helpHint = (command: string | undefined): string =>
  `Run "npx chandlery help${command === undefined ? '' : ` ${command}`}".`;
