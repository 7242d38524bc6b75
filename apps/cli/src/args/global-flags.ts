import { didYouMean } from '@chandlery/platform';
import type { Command } from '../command.ts';
import { type Format, formats } from '../output/print-object.ts';
import type { Flag, Flags } from './flags.ts';
import { usageError } from './usage-error.ts';

/** Flags of every command. */
export const globalFlags = {
  'data-dir': {
    type: 'text',
    valueName: 'DIR',
    about: 'The data folder of the landscape. Default: .chandlery. [CHANDLERY_DATA_DIR]',
  },
  kubeconfig: {
    type: 'text',
    valueName: 'FILE',
    about: 'Where the landscape is, and your credentials. Default: that of the data folder, or a sign-in. [KUBECONFIG]',
  },
  context: { type: 'text', valueName: 'NAME', about: "The kubeconfig's context to use. Default: its current one." },
  color: { type: 'text', valueName: 'auto|always|never', about: 'Colours. Default: auto, on a terminal. [NO_COLOR]' },
  help: { type: 'switch', short: 'h', about: 'Show help for a command.' },
} as const satisfies Record<string, Flag>;

/** The flags of a command: its own, how it prints, and the global ones. */
export function flagsOf({ options, formats: offered = formats }: Command): Readonly<Record<string, Flag>> {
  const [first] = offered;
  if (first === undefined) return { ...globalFlags, ...options };
  const about = `How results are printed. Default: ${first}.`;
  return { ...globalFlags, output: { type: 'text', short: 'o', valueName: offered.join('|'), about }, ...options };
}

/** The formats that a command offers. */
export const formatsOf = (command: Command): readonly string[] =>
  flagsOf(command)['output']?.valueName?.split('|') ?? [];

/** The output format that was asked for. `text` is an older word for `table`. */
export function formatOf(flags: Flags): Format;
export function formatOf<F extends string>(flags: Flags, allowed: readonly F[]): F;
export function formatOf(flags: Flags, allowed: readonly string[] = formats): string {
  const wanted = flags.text('output') ?? allowed[0];
  const found = allowed.find(format => format === (wanted === 'text' ? 'table' : wanted));
  if (found === undefined) throw notOneOf('--output', allowed, wanted ?? '');
  return found;
}

/** A flag with one of several words has another value. */
export const notOneOf = (flag: string, allowed: readonly string[], value: string): Error =>
  usageError(
    'InvalidOption',
    `${flag} must be one of ${allowed.join(', ')}, not "${value}"${didYouMean(value, allowed)}`,
  );

const secondsIn = { s: 1, m: 60, h: 3600 };

/** A flag with a time, in milliseconds: `90`, `90s`, `5m` or `1h`. */
export function secondsOf(flags: Flags, name: string, byDefault: number): number {
  const text = flags.text(name);
  if (text === undefined) return byDefault * 1000;
  const [, number, unit = 's'] = /^(\d+)([smh])?$/.exec(text) ?? [];
  const seconds = Number(number) * secondsIn[unit as keyof typeof secondsIn];
  // The longest that a timer can wait for.
  if (!(seconds >= 1 && seconds <= 2_000_000))
    throw usageError('InvalidOption', `--${name} must be a time, such as 90s, 5m or 1h, not "${text}"`);
  return seconds * 1000;
}
