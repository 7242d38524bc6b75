import { resolve } from 'node:path';
import { loadServerConfig } from '@chandlery/platform';
import type { CommandContext } from '../command.ts';

/** Where the data lives, settled as for `up`, so that a command works on what `up` finds. */
export function storeTarget({ flags, env, cwd }: CommandContext) {
  const argv = ['data-dir', 'database'].flatMap(name => flags.texts(name).map(value => `--${name}=${value}`));
  const { dataDir, database } = loadServerConfig({ argv, env, folder: cwd }).values;
  return { dataDir: resolve(cwd, dataDir), database };
}
