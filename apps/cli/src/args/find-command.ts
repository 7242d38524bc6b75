import { didYouMean, nearest } from '@chandlery/platform';
import type { Command } from '../command.ts';
import { type Flag, type Token, tokensOf, unknownFlag } from './flags.ts';
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
  const words = tokensOf(args, flagsBeforeCommand).filter(token => token.kind === 'positional');
  const name = words.map(({ value }) => value);
  if (name.length === 0) throw noCommand(args);
  const named = commandNamed(name, commands);
  if (named === undefined) throw unknownCommand(name, commands);
  const used = new Set(words.slice(0, named.length).map(({ index }) => index));
  return { command: named.command, rest: args.filter((_, index) => !used.has(index)) };
}

/** Flags that may stand before the command's name. */
export const flagsBeforeCommand: Readonly<Record<string, Flag>> = {
  ...globalFlags,
  output: { type: 'text', short: 'o', about: '' },
};

/** A command, and how many words its name takes. */
export interface NamedCommand {
  readonly command: Command;
  readonly length: number;
}

/** The command that some words begin with, by its name or an alias: the one with the longest name. */
export function commandNamed(words: readonly string[], commands: readonly Command[]): NamedCommand | undefined {
  const found = commands.flatMap(command =>
    spellingsOf(command)
      .filter(parts => parts.every((part, index) => isPart(part, words[index], index < parts.length - 1)))
      .map(({ length }) => ({ command, length })),
  );
  return found.toSorted((a, b) => b.length - a.length)[0];
}

const spellingsOf = ({ name, aliases = [] }: Command): string[][] => [name, ...aliases].map(text => text.split(' '));

/** Nouns may be plural: `clusters list` is `cluster list`. */
const isPart = (part: string, word: string | undefined, isNoun: boolean): boolean =>
  word === part || (isNoun && word === pluralOf(part));

/** The words that may follow some words in names of commands; aliases only where no name fits the beginning of the next. */
export function nextWords(
  words: readonly string[],
  commands: readonly Command[],
  beginning: string,
): readonly string[] {
  const following = (texts: readonly string[]): string[] =>
    texts
      .map(text => text.split(' '))
      .filter(parts => parts.length > words.length && words.every((word, at) => isPart(parts[at] ?? '', word, true)))
      .map(parts => parts[words.length] ?? '')
      .filter(part => part.startsWith(beginning));
  const names = following(commands.map(({ name }) => name));
  if (names.length > 0 || beginning === '') return names;
  return following(commands.flatMap(({ aliases = [] }) => aliases));
}

const pluralOf = (noun: string): string => (noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`);

/** The commands whose names begin with some words and have more: `cluster list`, `cluster create`, …. */
export function commandsOfGroup(group: readonly string[], commands: readonly Command[]): readonly Command[] {
  return commands.filter(({ name, isHidden = false }) => {
    const parts = name.split(' ');
    return (
      !isHidden && parts.length > group.length && group.every((word, index) => isPart(parts[index] ?? '', word, true))
    );
  });
}

/** The name of a group, as its commands spell it. */
export const groupName = (group: readonly string[], members: readonly Command[]): string =>
  (members[0]?.name.split(' ') ?? group).slice(0, group.length).join(' ');

/** Explains what is wrong with words that name no command. */
export function unknownCommand(words: readonly string[], commands: readonly Command[]): Error {
  const depth = words.findIndex((_, index) => commandsOfGroup(words.slice(0, index + 1), commands).length === 0);
  const group = depth < 0 ? words : words.slice(0, depth);
  const members = commandsOfGroup(group, commands);
  const verbs = [...new Set(members.map(({ name }) => name.split(' ')[group.length] ?? ''))];
  const noun = groupName(group, members);
  if (words.length === group.length)
    return usageError('MissingArgument', `say what to do with ${noun}: ${verbs.join(', ')}`, helpHint(noun));
  const whole = (verb: string): string => (noun === '' ? verb : `${noun} ${verb}`);
  const word = words[group.length] ?? '';
  return unknown(whole(word), verbs.map(whole), meantBy(words, { group, verbs }, commands));
}

interface Place {
  readonly group: readonly string[];
  readonly verbs: readonly string[];
}

/** Explains what is wrong with flags alone. */
function noCommand(args: readonly string[]): Error {
  // `--version` is understood only without a command.
  const known = { ...flagsBeforeCommand, version: { type: 'switch', short: 'v', about: '' } } as const;
  const isUnknown = (token: Token): boolean => token.kind === 'option' && !Object.hasOwn(known, token.name);
  const unknownOne = tokensOf(args, known).find(isUnknown);
  if (unknownOne?.kind === 'option') return unknownFlag(unknownOne.rawName, known);
  return usageError('MissingArgument', 'the command is missing', helpHint(undefined));
}

/** Verbs of other tools. */
const synonyms: readonly (readonly string[])[] = [
  ['list', 'ls'],
  ['get', 'show', 'describe', 'info', 'inspect'],
  ['create', 'add', 'new', 'make', 'register', 'provision'],
  ['delete', 'rm', 'remove', 'deregister', 'unregister', 'deprovision'],
  ['update', 'edit', 'change', 'set', 'patch'],
];

/** The command that was probably meant where spelling does not help: `list brokers`, `broker ls`. */
function meantBy(words: readonly string[], { group, verbs }: Place, commands: readonly Command[]): string | undefined {
  const [first = '', second] = words;
  if (second !== undefined && group.length === 0) {
    const turned = commandNamed([second, first], commands);
    if (turned?.length === 2) return turned.command.name;
  }
  const same = synonyms.find(list => list.includes(words[group.length] ?? '')) ?? [];
  const verb = verbs.find(known => same.includes(known));
  return verb === undefined || group.length === 0
    ? undefined
    : `${groupName(group, commandsOfGroup(group, commands))} ${verb}`;
}

function unknown(name: string, known: readonly string[], meant: string | undefined): Error {
  const near = meant ?? nearest(name, known);
  const message = `there is no command "${name}"${near === undefined ? '' : didYouMean(near, [near])}`;
  return usageError('UnknownCommand', message, helpHint(near));
}

const helpHint = (command: string | undefined): string =>
  `Run "npx chandlery help${command === undefined || command === '' ? '' : ` ${command}`}".`;
