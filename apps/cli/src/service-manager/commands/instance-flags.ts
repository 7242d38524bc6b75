import type { Flag, Flags } from '../../args/flags.ts';
import type { SmQuery } from '../sm-client.ts';

/** The flag for what a broker gets. */
export const parametersFlag = (name: 'instance-params' | 'binding-params'): Record<string, Flag> => ({
  [name]: {
    type: 'text',
    short: 'c',
    valueName: 'JSON',
    about: 'Parameters for the broker: JSON, @file, or - for the standard input.',
  },
});

/** The flag for deleting whatever stands against it. */
export const forceDeleteFlag = {
  'force-delete': { type: 'switch', about: 'Delete it with all that depends on it, even if the broker refuses.' },
} as const satisfies Record<string, Flag>;

/** What the flag means to the service manager. */
export const forceDeleteQuery = (flags: Flags): { query?: SmQuery } =>
  flags.isOn('force-delete')
    ? {
        query: [
          ['cascade', 'true'],
          ['force', 'true'],
        ],
      }
    : {};
