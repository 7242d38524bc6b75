import { realpathSync } from 'node:fs';
import { sep } from 'node:path';

/**
 * The path without symbolic links, if it exists and stays in the folder; undefined otherwise. For files that others have
 * written and that are no longer changed: a link of theirs may lead to what they must not read.
 */
export function realPathInside(folder: string, path: string): string | undefined {
  try {
    const [root, real] = [realpathSync(folder), realpathSync(path)];
    return real === root || real.startsWith(root + sep) ? real : undefined;
  } catch {
    return undefined;
  }
}
