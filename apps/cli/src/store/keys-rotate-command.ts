import { ChandleryError } from '@chandlery/api';
import { addEncryptionKey, useNewestEncryptionKey } from '@chandlery/platform';
import type { Command } from '../command.ts';
import { keysFolderOf } from './keys-folder.ts';
import { lockOfServer } from './lock-of-server.ts';

const stages = ['add', 'use', 'both'] as const;
type Stage = (typeof stages)[number];

export const keysRotateCommand: Command = {
  name: 'keys rotate',
  formats: [],
  summary: 'Replace the key that encrypts Secrets and credentials at rest',
  usage: 'FOLDER [--stage add|use|both]',
  examples: ['chandlery keys rotate .chandlery/keys', 'chandlery keys rotate keys --stage add'],
  arguments: { required: ['FOLDER'] },
  options: {
    stage: {
      type: 'text',
      valueName: 'add|use|both',
      about: 'add: the new key can be read with; use: the newest key encrypts. Default both, for one process.',
    },
  },
  notes: [
    'FOLDER is "keys" of a data folder whose server is stopped, or a copy. With replicas that keep serving: run it with',
    '--stage add, give all of them the folder and restart them one by one; then the same with --stage use. No replica',
    'meets a ciphertext that it cannot read. The server then encrypts all objects again, in the background ("keys',
    'status"); afterwards "keys drop" removes the old key.',
  ],
  goal: ([folder]) => `rotate the encryption key in ${folder}`,
  async run(context) {
    const { flags, stdout } = context;
    const folder = keysFolderOf(context);
    const stage = stageOf(flags.text('stage') ?? 'both');
    using _lock = lockOfServer(folder);
    if (stage !== 'use') stdout.write(`added key ${addEncryptionKey(folder, new Date())}\n`);
    if (stage !== 'add') stdout.write(`key ${useNewestEncryptionKey(folder)} encrypts from the next start on\n`);
    const next =
      stage === 'add'
        ? 'give all replicas this folder, restart them one by one, then run --stage use'
        : 'start the server, or give all replicas this folder and restart them one by one; make a backup';
    stdout.write(`Next: ${next}\n`);
    return 0;
  },
};

function stageOf(text: string): Stage {
  const stage = stages.find(known => known === text);
  if (stage !== undefined) return stage;
  throw new ChandleryError('InvalidOption', `--stage is "${text}"`, { hint: `Use one of ${stages.join(', ')}.` });
}
