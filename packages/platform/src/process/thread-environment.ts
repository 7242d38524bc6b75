import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * The environment for a worker thread. A thread does not take over the compile cache by itself; without it, it would
 * compile everything again and, for TypeScript, load a compiler of 30 MB.
 */
export function threadEnvironment(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir();
  // That is a folder for this version of Node.js, inside the one that the setting names.
  return cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) };
}
