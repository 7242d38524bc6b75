import { commandNamed, nextWords } from '../args/find-command.ts';
import type { Flag } from '../args/flags.ts';
import { flagsOf, globalFlags } from '../args/global-flags.ts';
import type { Command, LiveValues } from '../command.ts';

/** What the word under the cursor can be: texts that are known, and what must be asked of the server. */
export interface Completion {
  readonly candidates: readonly string[];
  readonly live?: LiveValues;
}

const flagValues: Readonly<Record<string, LiveValues>> = {
  cluster: { type: 'clusters' },
  namespace: { type: 'namespaces' },
  context: { type: 'contexts' },
};

const argumentValues: Readonly<Record<string, LiveValues>> = {
  CLUSTER: { type: 'clusters' },
  CONTEXT: { type: 'contexts' },
  KIND: { type: 'kinds' },
  'KIND/NAME': { type: 'kinds' },
};

/** Completes the last of some words of a command line. */
export function complete(words: readonly string[], commands: readonly Command[]): Completion {
  const shown = commands.filter(({ isHidden = false }) => !isHidden);
  const word = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const plain = before.filter(text => !text.startsWith('-'));
  const named = commandNamed(plain, shown);
  const flags = named === undefined ? globalFlags : flagsOf(named.command);
  const flag = flagNamed(before.at(-1) ?? '', flags);
  if (flag !== undefined) return valuesOf(flag);
  if (word.startsWith('-')) return { candidates: startingWith(word, flagNames(flags)) };
  const given = positionals(before, flags);
  const next = startingWith(word, nextWords(given, shown, word));
  if (named === undefined) return { candidates: next };
  const completion = argumentsOf(named.command, given.slice(named.length), word);
  return { ...completion, candidates: [...next, ...completion.candidates] };
}

const startingWith = (word: string, texts: readonly string[]): string[] =>
  [...new Set(texts)].filter(text => text.startsWith(word)).sort();

const flagNames = (flags: Readonly<Record<string, Flag>>): string[] => Object.keys(flags).map(name => `--${name}`);

/** The flag that the word before the cursor names and that takes a value. */
function flagNamed(
  word: string,
  flags: Readonly<Record<string, Flag>>,
): { readonly name: string; readonly flag: Flag } | undefined {
  const entry = Object.entries(flags).find(([name, { short }]) => word === `--${name}` || word === `-${short ?? ''}`);
  return entry === undefined || entry[1].type !== 'text' ? undefined : { name: entry[0], flag: entry[1] };
}

function valuesOf({ name, flag: { valueName = '' } }: { readonly name: string; readonly flag: Flag }): Completion {
  if (valueName.includes('|')) return { candidates: valueName.split('|') };
  const live = flagValues[name];
  return { candidates: [], ...(live === undefined ? {} : { live }) };
}

/** Words without flags and their values. */
function positionals(words: readonly string[], flags: Readonly<Record<string, Flag>>): string[] {
  return words.filter((word, index) => !word.startsWith('-') && flagNamed(words[index - 1] ?? '', flags) === undefined);
}

function argumentsOf(
  { arguments: wanted = {}, values = {} }: Command,
  given: readonly string[],
  word: string,
): Completion {
  const { required = [], optional = [], hasMore = false } = wanted;
  const [first = ''] = required;
  const [kind, ...rest] = word.split('/');
  const takesKind = first === 'KIND' || first === 'KIND/NAME' || (first === '' && hasMore);
  if (takesKind && rest.length > 0 && kind !== undefined)
    return { candidates: [], live: { type: 'names', kind, prefix: `${kind}/` } };
  const [givenKind] = given;
  if (hasMore && givenKind !== undefined && !givenKind.includes('/'))
    return { candidates: [], live: { type: 'names', kind: givenKind, prefix: '' } };
  const name = [...required, ...optional][given.length] ?? (takesKind && given.length === 0 ? 'KIND' : '');
  const live = values[name] ?? argumentValues[name];
  return { candidates: [], ...(live === undefined ? {} : { live }) };
}
