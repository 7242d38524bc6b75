import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { ChandleryError, isError } from '@chandlery/api';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { loadServer } from '../landscape/server-module.ts';
import { formatValue } from '../output/print-object.ts';
import { storeTarget } from './store-target.ts';

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Fill an empty data folder, or an empty database, from a backup',
  usage: 'FILE [flags]',
  examples: ['chandlery restore monday.backup --data-dir .restored'],
  arguments: { required: ['FILE'] },
  options: {
    database: {
      type: 'text',
      valueName: 'URL',
      about: 'An empty PostgreSQL database. Default: SQLite in the data folder. [CHANDLERY_DATABASE]',
    },
  },
  notes: ['The whole file is verified before anything is written. A target that holds something is refused.'],
  goal: ([file]) => `restore ${file}`,
  async run(context) {
    const format = formatOf(context.flags);
    const file = resolve(context.cwd, context.args[0] ?? '');
    if (!existsSync(file))
      throw new ChandleryError('NoSuchFile', `${file} does not exist`, {
        hint: 'Name a file that "npx chandlery backup" wrote.',
      });
    const { dataDir, database } = storeTarget(context);
    assertEmpty(dataDir);
    const { restore } = await loadServer();
    const target = database === undefined ? {} : { database };
    const { objects, revision } = await restore({ dataDir, file, ...target }).catch((thrown: unknown) => {
      throw database !== undefined && isError(thrown, 'NotEmpty') ? databaseInUse(thrown) : thrown;
    });
    // The address may hold a password and is not repeated.
    const withDatabase = database === undefined ? '' : ', with the same database';
    const story = `restored ${objects} objects at revision ${revision} into ${dataDir}\nNext:  npx chandlery up --data-dir ${dataDir}${withDatabase}\n`;
    context.stdout.write(format === 'table' ? story : formatValue({ dataDir, objects, revision }, format));
    return 0;
  },
};

const databaseInUse = (cause: ChandleryError): ChandleryError =>
  new ChandleryError('NotEmpty', 'the database holds a landscape already', {
    hint: 'Name an empty database with --database: one that was just created.',
    cause,
  });

/** What a process that once held the folder leaves behind. */
const isLock = (name: string): boolean => /^(lock\.(db|pid)|identity\.json$)/.test(name);

function assertEmpty(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).every(isLock)) return;
  throw new ChandleryError('NotEmpty', `the data folder ${folder} is not empty`, {
    hint: 'Restore into a folder that does not exist yet (--data-dir), or move this one away.',
  });
}
