import { parseDurationMs } from '@chandlery/api';
import type { Flag, Flags } from '../args/flags.ts';
import { usageError } from '../args/usage-error.ts';

/** Heading in the overview of commands. */
export const fleetGroup = 'Fleet';

/** The product that exists without any configuration. */
export const defaultProduct = 'dinosaurs';

/** Flag of commands about one product. */
export const productFlag = {
  product: { type: 'text', valueName: 'ID', about: `The product. Default: ${defaultProduct}.` },
} as const satisfies Record<string, Flag>;

/** Flags that narrow a list or a name down. */
export const scopeFlags = {
  product: { type: 'text', valueName: 'ID', about: 'Only of this product. Default: of all.' },
  org: { type: 'text', valueName: 'ORG', about: 'Only of this organisation. Default: of all.' },
} as const satisfies Record<string, Flag>;

/** Flags of commands that can wait. */
export const waitFlags = (until: string, seconds: number) =>
  ({
    wait: { type: 'switch', about: `Wait until ${until}. Default: false.` },
    timeout: { type: 'text', valueName: 'TIME', about: `How long to wait. Default: ${seconds}s.` },
  }) as const satisfies Record<string, Flag>;

/** The product that a command is about. */
export const productOf = (flags: Flags): string => flags.text('product') ?? defaultProduct;

/** The value of a flag that must be given. */
export function requiredOf(flags: Flags, name: string, valueName: string): string {
  const value = flags.text(name);
  if (value === undefined) throw usageError('MissingArgument', `--${name} ${valueName} is missing`);
  return value;
}

/** A flag with a whole number; undefined when it is not given. */
export function countOf(flags: Flags, name: string, min: number): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || Number(text) < min)
    throw usageError('InvalidOption', `--${name} must be a whole number from ${min}`);
  return Number(text);
}

/** A flag with a duration such as `1h`, in seconds; undefined when it is not given. */
export function durationSecondsOf(flags: Flags, name: string): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  const ms = parseDurationMs(text);
  if (ms === undefined) throw usageError('InvalidOption', `--${name} must be a duration such as 30m or 12h`);
  return Math.round(ms / 1000);
}
