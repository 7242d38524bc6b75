import type { Flags } from '../../args/flags.ts';

/** The flag for what some service managers list by environment. */
export const environmentFlag = {
  environment: {
    type: 'text',
    short: 'e',
    valueName: 'NAME',
    about: 'Only for this environment, where the service manager distinguishes them.',
  },
} as const;

/** The environment as a query. */
export function environmentQuery(flags: Flags): (readonly [string, string])[] {
  const environment = flags.text('environment');
  return environment === undefined ? [] : [['environment', environment]];
}
