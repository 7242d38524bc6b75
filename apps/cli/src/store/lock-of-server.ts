import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ChandleryError, isError } from '@chandlery/api';
import { type FolderLock, lockFolder } from '@chandlery/platform';

/**
 * Keeps a server from running on the data folder of a keys folder meanwhile: it has read the keys, and would not learn
 * others. Undefined when the keys are not those of a data folder. Rejects with `FolderInUse` while one runs.
 */
export function lockOfServer(keysFolder: string): FolderLock | undefined {
  const dataDir = dirname(keysFolder);
  if (!existsSync(join(dataDir, 'lock.db'))) return undefined;
  try {
    return lockFolder(dataDir);
  } catch (error) {
    if (!isError(error, 'FolderInUse')) throw error;
    throw new ChandleryError('FolderInUse', `the server of these keys runs: ${error.message}`, {
      hint: 'Stop it first. With several replicas, change a copy of the folder and give it to one replica after the other.',
      cause: error,
    });
  }
}
