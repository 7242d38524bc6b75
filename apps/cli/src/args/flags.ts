import { parseArgs } from 'node:util';
import { didYouMean } from '@chandlery/platform';
import { usageError } from './usage-error.ts';

/** A flag of a command. */
export interface Flag {
  readonly type: 'text' | 'switch';
  readonly about: string;
  /** What stands for the value in help, such as `DIR`. */
  readonly valueName?: string;
  /** One letter. */
  readonly short?: string;
  /** Values that switch it on as `true` does. Default none. */
  readonly alsoOn?: readonly string[];
  /** May be given several times. Default false: the last one counts. */
  readonly isMultiple?: boolean;
  /** Values that completion offers. Default: those of a `valueName` such as `admin|edit|view`. */
  readonly choices?: readonly string[];
  /** Older spellings, words or letters, that are accepted and not shown. Default none. */
  readonly former?: readonly string[];
}

/** Flags as they were given. */
export interface Flags {
  /** The last value of a flag. */
  text(name: string): string | undefined;
  /** All values of a flag, in order. */
  texts(name: string): readonly string[];
  isOn(name: string, byDefault?: boolean): boolean;
}

/** The words of a command line, taken apart. */
interface ParsedArgs {
  readonly positionals: readonly string[];
  readonly flags: Flags;
}

/** A word of a command line, or one of its flags. */
export type Token = NonNullable<ReturnType<typeof tokensOf>>[number];
type OptionToken = Extract<Token, { kind: 'option' }>;

/** Takes a command line apart without judging it. Flags come under the names that they have now. */
export function tokensOf(args: readonly string[], table: Readonly<Record<string, Flag>>) {
  const spellings = Object.entries(table).flatMap(([name, flag]) => spellingsOf(name, flag));
  const options = Object.fromEntries(
    spellings.map(({ key, type, short }) => [
      key,
      { type: type === 'text' ? ('string' as const) : ('boolean' as const), ...(short === undefined ? {} : { short }) },
    ]),
  );
  const names = new Map(spellings.map(({ key, name }) => [key, name]));
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  return tokens.map(token =>
    token.kind === 'option' ? { ...token, name: names.get(token.name) ?? token.name } : token,
  );
}

interface Spelling extends Pick<Flag, 'type' | 'short'> {
  /** The flag's name. */
  readonly name: string;
  /** What stands on the command line after `--`; of a letter alone, a text that no one types. */
  readonly key: string;
}

const spellingsOf = (name: string, { type, short, former = [] }: Flag): Spelling[] => [
  { name, key: name, type, ...(short === undefined ? {} : { short }) },
  ...former.map(word =>
    word.length === 1 ? { name, key: `${name} ${word}`, type, short: word } : { name, key: word, type },
  ),
];

/** Reads flags by a table. Rejects unknown ones (with the one that was probably meant) and missing or wrong values. */
export function parseFlags(args: readonly string[], table: Readonly<Record<string, Flag>>): ParsedArgs {
  const tokens = tokensOf(args, table);
  const values = new Map<string, (string | boolean)[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (flag === undefined) throw unknownFlag(token.rawName, table);
    const value = flag.type === 'text' ? textValue(token) : switchValue(token, flag);
    values.set(token.name, [...(values.get(token.name) ?? []), value]);
  }
  return {
    positionals: tokens.flatMap(token => (token.kind === 'positional' ? [token.value] : [])),
    flags: flagsOf(values),
  };
}

function flagsOf(values: ReadonlyMap<string, readonly (string | boolean)[]>): Flags {
  const texts = (name: string): string[] => (values.get(name) ?? []).filter(value => typeof value === 'string');
  return {
    texts,
    text: name => texts(name).at(-1),
    isOn: (name, byDefault = false) => (values.get(name)?.at(-1) ?? byDefault) === true,
  };
}

function textValue({ rawName, value, inlineValue }: OptionToken): string {
  // `-o=json` is as common as `-ojson`.
  const text = inlineValue && !rawName.startsWith('--') ? value.replace(/^=/, '') : value;
  const isFlag = !inlineValue && text !== undefined && text.length > 1 && text.startsWith('-');
  if (text === undefined || text === '' || isFlag) throw usageError('MissingValue', `${rawName} needs a value`);
  return text;
}

function switchValue({ rawName, value }: OptionToken, { alsoOn = [] }: Flag): boolean {
  if (value === undefined || value === 'true' || alsoOn.includes(value)) return true;
  if (value === 'false') return false;
  throw usageError('InvalidOption', `${rawName} must be ${['true', ...alsoOn, 'false'].join(' or ')}`);
}

/** Explains a flag that is not in a table. */
export function unknownFlag(rawName: string, table: Readonly<Record<string, Flag>>): Error {
  const known = Object.keys(table).map(name => `--${name}`);
  return usageError('UnknownOption', `unknown flag "${rawName}"${didYouMean(rawName, known)}`);
}
