import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, resolve } from 'node:path';
import { kubeconfigInvalid } from './client-errors.ts';
import { type ExecEntry, type Kubeconfig, type NamedUser, parseKubeconfig } from './kubeconfig-file.ts';

/** A kubeconfig whose file names are all absolute, and how to call it in messages. */
export interface LoadedKubeconfig {
  readonly file: Kubeconfig;
  readonly place: string;
}

/**
 * Reads a kubeconfig: a file, several of them as in the variable KUBECONFIG, or the text itself (anything with several
 * lines, or JSON). Of several files those that do not exist are left out, and the first to name something wins.
 */
export function readKubeconfig(pathOrText: string): LoadedKubeconfig {
  if (pathOrText.includes('\n') || pathOrText.trimStart().startsWith('{')) {
    const place = 'given as text';
    return { file: withAbsolutePaths(parseKubeconfig(pathOrText, place), '.'), place };
  }
  const paths = pathsOf(pathOrText);
  const present = paths.length > 1 ? paths.filter(path => existsSync(path)) : paths;
  const files = (present.length > 0 ? present : paths).map(readOne);
  return { file: files.reduce(merge), place: pathOrText };
}

function pathsOf(text: string): string[] {
  if (!text.includes(delimiter) || existsSync(text)) return [text];
  const paths = text.split(delimiter).filter(path => path !== '');
  return paths.length > 0 ? paths : [text];
}

const readOne = (path: string): Kubeconfig =>
  withAbsolutePaths(parseKubeconfig(readText(path, path), path), dirname(path));

function merge(first: Kubeconfig, second: Kubeconfig): Kubeconfig {
  return {
    ...second,
    ...first,
    'current-context': first['current-context'] || (second['current-context'] ?? ''),
    clusters: union(first.clusters, second.clusters),
    contexts: union(first.contexts, second.contexts),
    users: union(first.users, second.users),
  };
}

function union<T extends { readonly name: string }>(first: readonly T[], second: readonly T[]): T[] {
  const names = new Set(first.map(({ name }) => name));
  return [...first, ...second.filter(({ name }) => !names.has(name))];
}

function withAbsolutePaths(file: Kubeconfig, folder: string): Kubeconfig {
  return {
    ...file,
    clusters: file.clusters.map(({ name, cluster }) => ({
      name,
      cluster: absolute(cluster, ['certificate-authority'], folder),
    })),
    users: file.users.map(({ name, user }) => ({ name, user: withAbsoluteFiles(user, folder) })),
  };
}

function withAbsoluteFiles(user: NamedUser['user'], folder: string): NamedUser['user'] {
  const files = absolute(user, ['client-certificate', 'client-key', 'tokenFile'], folder);
  return user.exec === undefined ? files : { ...files, exec: absoluteCommand(user.exec, folder) };
}

/** A command without a slash is one of the PATH. */
function absoluteCommand(exec: ExecEntry, folder: string): ExecEntry {
  const { command } = exec;
  const isPath = typeof command === 'string' && /[\\/]/.test(command) && !isAbsolute(command);
  return isPath ? { ...exec, command: resolve(folder, command) } : exec;
}

function absolute<T extends object>(from: T, fields: readonly (keyof T)[], folder: string): T {
  const given = fields.filter(field => typeof from[field] === 'string' && from[field] !== '');
  return { ...from, ...Object.fromEntries(given.map(field => [field, resolve(folder, String(from[field]))])) };
}

/** The text of a file that a kubeconfig is or names. */
export function readText(path: string, place: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    const what = path === place ? 'it' : `the file ${path} that it names`;
    throw kubeconfigInvalid(place, code === 'ENOENT' ? `${what} does not exist` : `${what} cannot be read (${code})`, {
      cause,
    });
  }
}
