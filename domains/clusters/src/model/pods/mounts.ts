/** A path as the container sees it, and its real place on this machine. */
export interface Mount {
  readonly mountPath: string;
  readonly hostPath: string;
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/**
 * Replaces mount paths in a text by the real places, since a process of this machine has no file system of its own.
 * Only whole paths: `/data` is replaced in `--dir=/data/x` and `file:///data`, not in `/srv/data` or `/database`.
 */
export function rewritePaths(text: string, mounts: readonly Mount[]): string {
  const paths = mounts.map(({ mountPath }) => trim(mountPath)).filter(path => path !== '');
  if (paths.length === 0) return text;
  const longestFirst = paths.toSorted((left, right) => right.length - left.length).map(escape);
  const expression = new RegExp(
    String.raw`(?<![\w.-])(?:(?<!/)|(?<=:/{2}))(?:${longestFirst.join('|')})(?![\w.-])`,
    'g',
  );
  return text.replace(expression, path => mounts.find(({ mountPath }) => trim(mountPath) === path)?.hostPath ?? path);
}

/** Reverts {@link rewritePaths}. */
export const restorePaths = (text: string, mounts: readonly Mount[]): string =>
  mounts
    .toSorted((left, right) => right.hostPath.length - left.hostPath.length)
    .reduce((restored, { mountPath, hostPath }) => restored.replaceAll(hostPath, () => mountPath), text);

const trim = (path: string): string => path.replace(/\/+$/, '');
