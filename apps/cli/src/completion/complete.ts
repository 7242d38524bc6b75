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
  project: { type: 'list', command: 'project list' },
  workspace: { type: 'list', command: 'workspace list' },
  broker: { type: 'list', command: 'broker list' },
  plan: { type: 'list', command: 'plan list' },
  service: { type: 'list', command: 'marketplace' },
};

const argumentValues: Readonly<Record<string, LiveValues>> = {
  CLUSTER: { type: 'clusters' },
  KIND: { type: 'kinds' },
  'KIND/NAME': { type: 'kinds' },
  OFFERING: { type: 'list', command: 'marketplace' },
  PLAN: { type: 'list', command: 'plan list' },
  PLATFORM: { type: 'list', command: 'platform list' },
  POD: { type: 'names', kind: 'pods', prefix: '' },
};

/** Arguments that name one of the objects that the command's noun lists, unless it makes a new one. */
const ownArguments: ReadonlySet<string> = new Set(['NAME', 'ID', 'INSTANCE', 'SERVICE', 'CLUSTER', 'OPERATION']);
const makingVerbs: ReadonlySet<string> = new Set(['create', 'register', 'new', 'start']);
const listingVerbs = ['list', 'get', 'status'] as const;

/** Completes the last of some words of a command line. */
export function complete(typed: readonly string[], commands: readonly Command[]): Completion {
  const shown = commands.filter(({ isHidden = false }) => !isHidden);
  const words = withoutEquals(typed);
  if (words[0] === 'help') return { candidates: nextCommands(words.slice(1), shown) };
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
  const completion = argumentsOf(named.command, { given: given.slice(named.length), word, commands: shown });
  return { ...completion, candidates: [...next, ...completion.candidates] };
}

/** bash takes `--output=json` apart, other shells do not: both are completed as `--output json` is. */
function withoutEquals(words: readonly string[]): readonly string[] {
  const [first = '', second = '', third] = words.slice(-3);
  if (words.length > 2 && first.startsWith('--') && second === '=') return [...words.slice(0, -2), third ?? ''];
  if (words.at(-1) === '=') return [...words.slice(0, -1), ''];
  return words;
}

const nextCommands = (words: readonly string[], commands: readonly Command[]): readonly string[] =>
  startingWith(words.at(-1) ?? '', nextWords(words.slice(0, -1), commands, words.at(-1) ?? ''));

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

function valuesOf({ name, flag }: { readonly name: string; readonly flag: Flag }): Completion {
  const { valueName = '', choices = valueName.includes('|') ? valueName.split('|') : [] } = flag;
  if (choices.length > 0) return { candidates: choices };
  const live = flagValues[name];
  return { candidates: [], ...(live === undefined ? {} : { live }) };
}

/** Words without flags and their values. */
function positionals(words: readonly string[], flags: Readonly<Record<string, Flag>>): string[] {
  return words.filter((word, index) => !word.startsWith('-') && flagNamed(words[index - 1] ?? '', flags) === undefined);
}

interface Typed {
  readonly given: readonly string[];
  readonly word: string;
  readonly commands: readonly Command[];
}

function argumentsOf(command: Command, { given, word, commands }: Typed): Completion {
  const { arguments: wanted = {}, values = {}, choices = {} } = command;
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
  const words = choices[name] ?? (name.includes('|') ? name.split('|') : []);
  const live =
    values[name] ?? (given.length === 0 ? listOf(command, name, commands) : undefined) ?? argumentValues[name];
  return { candidates: startingWith(word, words), ...(live === undefined ? {} : { live }) };
}

/** What the command's noun lists. */
function listOf({ name }: Command, argument: string, commands: readonly Command[]): LiveValues | undefined {
  const words = name.split(' ');
  const verb = words.at(-1) ?? '';
  if (words.length === 1 || !ownArguments.has(argument) || makingVerbs.has(verb)) return undefined;
  const noun = words.slice(0, -1).join(' ');
  const lists = listingVerbs.map(listing => `${noun} ${listing}`);
  const found = lists.find(list => commands.some(command => command.name === list));
  return found === undefined ? undefined : { type: 'list', command: found };
}
