import type { Flag, Flags } from '../args/flags.ts';
import { formatOf, secondsOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import { yesFlag } from '../output/confirm.ts';
import { type ResultFormat, resultFormats } from '../output/print-object.ts';

/** Flags of every command for the service manager. */
export const commonFlags = {
  param: {
    type: 'text',
    valueName: 'KEY=VALUE',
    about: 'A query parameter to send along with each request.',
    isMultiple: true,
  },
  tenant: {
    type: 'text',
    short: 'n',
    valueName: 'NAME',
    about: 'The tenant, a namespace. Default: the only one that you may use, or all.',
  },
} as const satisfies Record<string, Flag>;

/** Flags of lists. */
export const queryFlags = {
  'field-query': {
    type: 'text',
    short: 'q',
    former: ['f'],
    valueName: 'QUERY',
    about: `Conditions on fields: "name eq 'a' and ready eq true".`,
    isMultiple: true,
  },
  'label-query': {
    type: 'text',
    short: 'l',
    valueName: 'QUERY',
    about: `Conditions on labels: "tier in ('prod','stage')".`,
    isMultiple: true,
  },
} as const satisfies Record<string, Flag>;

/** Which one is meant of several with one name. */
export const idFlag = {
  id: { type: 'text', valueName: 'ID', about: 'Which one is meant when several have the name.' },
} as const satisfies Record<string, Flag>;

/** The flag that answers prompts, which was called as in smctl before. */
export const confirmFlag = { yes: { ...yesFlag.yes, former: ['force', 'f'] } } as const satisfies Record<string, Flag>;

/** Flags of deletions. */
export const deleteFlags = {
  ...confirmFlag,
  'ignore-missing': { type: 'switch', about: 'Do not fail when there is nothing to delete.' },
} as const satisfies Record<string, Flag>;

/** Flags of following an operation. */
export const waitFlags = {
  wait: { type: 'switch', about: 'Follow the operation until it ends and print its progress.' },
  timeout: { type: 'text', valueName: 'TIME', about: 'How long to wait. Default: 600s.' },
} as const satisfies Record<string, Flag>;

/** Flags of operations that may continue in the background. */
export const modeFlags = (byDefault: Mode) =>
  ({
    mode: {
      type: 'text',
      valueName: 'sync|async',
      about: `Whether to answer when it is done, or at once. Default: ${byDefault}.`,
    },
    ...waitFlags,
  }) as const satisfies Record<string, Flag>;

export type Mode = 'sync' | 'async';

/** The mode that was asked for. */
export function modeOf(flags: Flags, byDefault: Mode): Mode {
  const mode = flags.text('mode') ?? byDefault;
  if (mode !== 'sync' && mode !== 'async') throw usageError('InvalidOption', '--mode must be sync or async');
  return mode;
}

/** How long to wait, in milliseconds. */
export const timeoutOf = (flags: Flags): number => secondsOf(flags, 'timeout', 600);

/** The queries of a list. All conditions must hold. */
export const queriesOf = (flags: Flags): (readonly [string, string])[] => [
  ...flags.texts('field-query').map(query => ['fieldQuery', query] as const),
  ...flags.texts('label-query').map(query => ['labelQuery', query] as const),
];

/** Further query parameters. */
export const paramsOf = (flags: Flags): (readonly [string, string])[] => pairsOf(flags, 'param');

/** A flag whose values are `KEY=VALUE`. */
export function pairsOf(flags: Flags, name: string): (readonly [string, string])[] {
  return flags.texts(name).map(text => {
    const at = text.indexOf('=');
    if (at < 1) throw usageError('InvalidOption', `--${name} must be KEY=VALUE`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
}

/** How to print. */
export const printingOf = (flags: Flags): ResultFormat => formatOf(flags, resultFormats);
