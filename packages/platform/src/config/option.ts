/** One setting: how it is named follows from its key in the table, what it means from here. */
export interface Option<T> {
  /** One sentence for `--help`. */
  readonly about: string;
  /** What stands for the value in `--help`, such as `DIR`. */
  readonly valueName: string;
  readonly default: T;
  /** How `--help` shows the default. Default: the default itself; empty for nothing. */
  readonly defaultText?: string;
  /** Turns a text (flag, environment) or a YAML value into the setting, or throws an {@link OptionProblem}. */
  readonly parse: (raw: unknown) => T;
  /** Where it can be set. Default: everywhere. */
  readonly from?: readonly OptionSource[];
  /** A flag without a value means `true`. */
  readonly isSwitch?: boolean;
}

/** Where a setting can come from. */
export type OptionSource = 'flag' | 'environment' | 'file';

/** All settings of a program by their name in code (`dataDir`). */
export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** The values that a table describes. */
export type ConfigOf<Table extends OptionTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Option<infer Value> ? Value : never;
};

/**
 * Why a value is not acceptable, worded to follow the name of the setting. Holds the value itself only where a number or
 * one of a few words was to be given: others may be secrets.
 */
export class OptionProblem extends Error {}

type OptionDetails<T> = Omit<Option<T>, 'parse' | 'isSwitch' | 'valueName'> & { readonly valueName?: string };

/** Any text but the empty one. */
export function text<T extends string | undefined>(details: OptionDetails<T>): Option<string | T> {
  return { valueName: 'TEXT', ...details, parse: parseText };
}

/** One of several words. */
export function choice<const C extends string>(choices: readonly C[], details: OptionDetails<C>): Option<C> {
  return {
    valueName: choices.join('|'),
    ...details,
    parse: raw =>
      choices.find(choice => choice === raw) ?? problem(`must be one of ${choices.join(', ')}${butIs(raw)}`),
  };
}

const maxShown = 40;

/** Shows a wrong value, unless it is long or no text. */
const butIs = (raw: unknown): string =>
  typeof raw === 'string' && raw.length <= maxShown ? `, not ${JSON.stringify(raw)}` : '';

/** A whole number within bounds. */
export function integer(
  bounds: { readonly min: number; readonly max: number },
  details: OptionDetails<number>,
): Option<number> {
  return { valueName: 'N', ...details, parse: raw => parseInteger(raw, bounds) };
}

const portBounds = { min: 0, max: 65_535 };

/** A number from 0 to 1. */
export function share(details: OptionDetails<number>): Option<number> {
  return {
    valueName: 'N',
    ...details,
    parse(raw) {
      const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
      return typeof value === 'number' && value >= 0 && value <= 1 ? value : problem('must be a number from 0 to 1');
    },
  };
}

/** A port; 0 lets the system choose. */
export const port = (details: OptionDetails<number>): Option<number> => integer(portBounds, details);

/** A port, or `off`, which becomes undefined. */
export function optionalPort(details: OptionDetails<number | undefined>): Option<number | undefined> {
  return {
    valueName: 'N',
    ...details,
    parse: raw => (raw === 'off' || raw === false ? undefined : parseInteger(raw, portBounds, ', or off')),
  };
}

/** Yes or no; as a flag `--name` or `--no-name`. */
export function toggle(details: OptionDetails<boolean>): Option<boolean> {
  return {
    valueName: '',
    ...details,
    isSwitch: true,
    parse(raw) {
      if (raw === true || raw === 'true') return true;
      if (raw === false || raw === 'false') return false;
      return problem('must be true or false');
    },
  };
}

/** Several words: a list in the file, separated by commas elsewhere. */
export function words(details: OptionDetails<readonly string[]>): Option<readonly string[]> {
  return { valueName: 'A,B,…', ...details, parse: parseWords };
}

function parseWords(raw: unknown): readonly string[] {
  const items: readonly unknown[] = typeof raw === 'string' ? raw.split(',').map(word => word.trim()) : wordsIn(raw);
  return items.map(parseText);
}

const wordsIn = (raw: unknown): readonly unknown[] => (Array.isArray(raw) ? raw : problem('must be a list'));

/** A value with a structure of its own; in the environment it is JSON. */
export function structured<T>(parse: (value: unknown) => T, details: OptionDetails<T>): Option<T> {
  return { valueName: 'JSON', ...details, parse: raw => parse(typeof raw === 'string' ? parseJson(raw) : raw) };
}

/** Accepts any text but the empty one, and numbers, as YAML reads unquoted digits as such. */
export function parseText(raw: unknown): string {
  if (typeof raw === 'number') return String(raw);
  if (raw === '') return problem('must not be empty');
  return typeof raw === 'string' ? raw : problem('must be a text');
}

function parseInteger(raw: unknown, { min, max }: { min: number; max: number }, more = ''): number {
  const value = typeof raw === 'string' && /^-?\d+$/.test(raw) ? Number(raw) : raw;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  return problem(`must be a whole number from ${min} to ${max}${more}${butIs(raw)}`);
}

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return problem('must be JSON');
  }
}

/** Says why a value is not acceptable. */
export function problem(why: string): never {
  throw new OptionProblem(why);
}
