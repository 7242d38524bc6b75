import type { Flag } from '../args/flags.ts';

/** The flag of changes that are only tried. */
export const dryRunFlag = {
  'dry-run': {
    type: 'switch',
    alsoOn: ['server'],
    about: 'Let the server check everything and change nothing. Also --dry-run=server.',
  },
} as const satisfies Record<string, Flag>;
