import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { openLandscapeKeys, writeFileAtomically } from '@chandlery/platform';
import type { Command } from '../command.ts';

export const keysCreateCommand: Command = {
  name: 'keys create',
  summary: 'Make the keys of a new landscape in a folder, for replicas that share them',
  usage: 'FOLDER [flags]',
  examples: ['chandlery keys create /run/user/1000/keys'],
  arguments: { required: ['FOLDER'] },
  formats: [],
  options: {},
  notes: [
    'The folder becomes "keys" in the data folder of each replica, or a Secret: kubectl create secret generic',
    "chandlery-keys --from-file=FOLDER. It holds private keys and the administrator's token: keep it out of work trees.",
  ],
  goal: ([folder]) => `make keys in ${folder}`,
  async run({ args, cwd, stdout }) {
    const folder = resolve(cwd, args[0] ?? '');
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      throw new ChandleryError('FolderNotEmpty', `${folder} is not empty`, {
        hint: 'Keys are never replaced: data that they have encrypted would be lost. Name another folder.',
      });
    }
    openLandscapeKeys(folder, { now: new Date() });
    writeFileAtomically(join(folder, 'admin.token'), `${randomBytes(32).toString('base64url')}\n`);
    stdout.write(`wrote ${readdirSync(folder).sort().join(', ')} into ${folder}\n`);
    return 0;
  },
};
