import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import type { CommandContext } from '../command.ts';

/** The keys folder that the first argument names. Rejects a data folder, whose keys are a folder in it. */
export function keysFolderOf({ args: [given = ''], cwd }: CommandContext): string {
  const folder = resolve(cwd, given);
  if (existsSync(join(folder, 'encryption.json')) || !existsSync(join(folder, 'keys', 'encryption.json')))
    return folder;
  throw new ChandleryError('KeysIncomplete', `${folder} is a data folder`, {
    hint: `Name its keys: ${join(given, 'keys')}.`,
  });
}
