import { didYouMean, nearest } from '@chandlery/platform';
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

/** The commands whose names begin with some words and have more: `clusters list`, `clusters create`, …. */
export const commandsOfGroup = (group: readonly string[], commands: readonly Command[]): readonly Command[] =>
  commands.filter(({ name }) => name.startsWith(`${group.join(' ')} `));

/** Explains what is wrong with words that name no command. */
export function unknownCommand(words: readonly string[], commands: readonly Command[]): Error {
  const depth = words.findIndex((_, index) => commandsOfGroup(words.slice(0, index + 1), commands).length === 0);
  const group = depth < 0 ? words : words.slice(0, depth);
  const members = group.length === 0 ? commands : commandsOfGroup(group, commands);
  const names = [...new Set(members.map(({ name }) => name.split(' ')[group.length] ?? ''))];
  if (words.length === group.length)
    return usageError(
      'MissingArgument',
      `say what to do with ${group.join(' ')}: ${names.join(', ')}`,
      helpHint(group.join(' ')),
    );
  const whole = (name: string): string => [...group, name].join(' ');
  return unknown(whole(words[group.length] ?? ''), names.map(whole));
}

function unknown(name: string, known: readonly string[]): Error {
  const meant = nearest(name, known);
  const message = `there is no command "${name}"${didYouMean(name, known)}`;
  return usageError('UnknownCommand', message, helpHint(meant));
}

const helpHint = (command: string | undefined): string =>
  `Run "npx chandlery help${command === undefined ? '' : ` ${command}`}".`;
