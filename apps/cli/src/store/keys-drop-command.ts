import { dirname } from 'node:path';
import type { Command } from '../command.ts';
import { loadServer } from '../landscape/server-module.ts';
import { confirm, yesFlag } from '../output/confirm.ts';
import { keysFolderOf } from './keys-folder.ts';
import { storeTarget } from './store-target.ts';

export const keysDropCommand: Command = {
  name: 'keys drop',
  formats: [],
  summary: 'Remove an encryption key that nothing is encrypted with any more',
  usage: 'FOLDER KEY [flags]',
  examples: [
    'chandlery keys drop .chandlery/keys 0123456789abcdef',
    'chandlery keys drop keys 0123456789abcdef --database postgres://chandlery@db.example.org/chandlery --yes',
  ],
  arguments: { required: ['FOLDER', 'KEY'] },
  options: {
    database: {
      type: 'text',
      valueName: 'URL',
      about: 'The PostgreSQL database of the landscape. Default: SQLite beside FOLDER. [CHANDLERY_DATABASE]',
    },
    ...yesFlag,
  },
  notes: [
    'The store is read as a whole first: the key stays while an object, or history that watches may read, needs it. The',
    'server must be stopped; with --database replicas may run, and get the folder afterwards, one after the other.',
    'Backups hold the keys of their time, so that earlier ones can still be restored. Kept revisions never hold Secrets.',
  ],
  goal: ([folder, key]) => `remove the encryption key ${key} from ${folder}`,
  async run(context) {
    const { args, stdout } = context;
    const folder = keysFolderOf(context);
    const keyId = args[1] ?? '';
    const { database } = storeTarget(context);
    await confirm(context, `Remove the encryption key ${keyId}? What it encrypted elsewhere can then not be read.`);
    const { dropEncryptionKey } = await loadServer();
    const dataDir = dirname(folder);
    await dropEncryptionKey({ folder, keyId, dataDir, ...(database === undefined ? {} : { database }) });
    stdout.write(`key ${keyId} removed\nNext: start the server, or give all replicas this folder; make a backup\n`);
    return 0;
  },
};
