// Where a command lies joined with all that it imports (made by tools/bundle.ts), if that is still what the sources say.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The file of a command's bundle as a URL; undefined when there is none, or something that went into it has changed. */
export function freshBundle(name, folder = join(root, '.cache/bundle'), sources = root) {
  try {
    const { made, inputs } = JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8'));
    const isSame = ([path, mtimeMs, size]) => {
      const now = statSync(`${sources}/${path}`);
      return now.mtimeMs === mtimeMs && now.size === size;
    };
    return inputs.every(isSame) ? pathToFileURL(join(folder, made, `${name}.mjs`)).href : undefined;
  } catch {
    // Not made yet, or half gone: the sources do as well.
    return undefined;
  }
}

/** The folder for compiled code of commands that run from a clone. */
export const compileCacheOfClone = join(root, '.cache/compiled');
