import { existsSync } from 'node:fs';
import { ChandleryError } from '@chandlery/api';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { loadServer } from '../landscape/server-module.ts';
import { formatValue } from '../output/print-object.ts';
import { storeTarget } from './store-target.ts';

export const storeVerifyCommand: Command = {
  name: 'store verify',
  summary: 'Verify every byte and row of the stored data',
  usage: '[flags]',
  examples: [
    'chandlery store verify',
    'chandlery store verify --database postgres://chandlery@db.example.org/chandlery',
  ],
  options: {
    database: {
      type: 'text',
      valueName: 'URL',
      about: 'A PostgreSQL database. Default: SQLite in the data folder. [CHANDLERY_DATABASE]',
    },
    accept: {
      type: 'switch',
      about: 'Take a SQLite store as it is: report neither lost writes nor changed pages any more.',
    },
  },
  notes: [
    'A server must not run on the data folder meanwhile; one that uses PostgreSQL may.',
    'Exit code 1 when anything is damaged. Damaged objects are not served; restore them from a backup.',
  ],
  goal: () => 'verify the store',
  async run(context) {
    const { flags, stdout } = context;
    const format = formatOf(flags);
    const { dataDir, database } = storeTarget(context);
    if (database === undefined && !existsSync(dataDir))
      throw new ChandleryError('NoSuchFolder', `the data folder ${dataDir} does not exist`, {
        hint: 'Name the data folder of a landscape with --data-dir.',
      });
    const { verify } = await loadServer();
    const isAccepted = flags.isOn('accept');
    const damage = await verify({ dataDir, accept: isAccepted, ...(database === undefined ? {} : { database }) });
    if (format !== 'table') stdout.write(formatValue({ damage }, format));
    else stdout.write(damage.length === 0 ? 'everything is as it was written\n' : listing(damage));
    if (isAccepted && format === 'table' && damage.length > 0) stdout.write('accepted as it is\n');
    return damage.length === 0 || isAccepted ? 0 : 1;
  },
};

const listing = (damage: readonly { readonly kind: string; readonly message: string }[]): string =>
  `${damage.map(({ kind, message }) => `${kind.padEnd(10)} ${message}`).join('\n')}\n` +
  `${damage.length} found. Restore from a backup: npx chandlery restore FILE --data-dir NEW (docs/operating.md, Damaged storage)\n`;
