import { watch } from 'node:fs';
import { untilAborted } from '@chandlery/platform';

/** The changes of the files in a folder. */
export interface FolderChanges extends Disposable {
  /**
   * Resolves with the files that were changed since the last call, sorted, once nothing changes for a moment; with
   * undefined when the signal is aborted.
   */
  next(signal: AbortSignal): Promise<readonly string[] | undefined>;
}

/** Editors write a file in several steps. */
const quietMs = 150;

/** Sources and settings. Others, such as logs and data, may be written by what runs: that would be an endless loop. */
const isSource = (path: string): boolean =>
  /\.([cm]?[jt]sx?|json|ya?ml|toml|sql|py|rb|go|sh)$/.test(path) && !/(^|\/)(node_modules|\.[^/]*)(\/|$)/.test(path);

/** Watches a folder with all folders in it. */
export function watchFolder(folder: string): FolderChanges {
  const changed = new Set<string>();
  let settled = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, { recursive: true }, (_event, path) => {
    if (path === null || !isSource(path)) return;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => settled.resolve(), quietMs);
  });
  return {
    async next(signal) {
      await Promise.race([settled.promise, untilAborted(signal)]);
      if (signal.aborted) return undefined;
      settled = Promise.withResolvers<void>();
      const files = [...changed].sort();
      changed.clear();
      return files;
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      watcher.close();
    },
  };
}
