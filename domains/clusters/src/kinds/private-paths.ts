import { basename, dirname, isAbsolute, join, posix } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { hash8 } from './hashed-names.ts';

/** On a pod: how the local node isolates it. The only value is {@link isolationByNamespaces}. */
export const isolationAnnotation = 'clusters.chandlery.io/isolation';

/** In user, PID and mount namespaces of its own. */
export const isolationByNamespaces = 'namespaces';

/** On an isolated pod: its private paths, as JSON. Written by {@link privatePaths}. */
export const privatePathsAnnotation = 'clusters.chandlery.io/private-paths';

/** Condition of an isolated pod with limits that the local node does not enforce: False, and the message names them. */
export const limitsCondition = 'clusters.chandlery.io/LimitsEnforced';

/** A path that is the pod's own, while everything beside it is the machine's. */
export interface PrivatePath {
  /** As the containers see it: absolute, normalised. */
  readonly path: string;
  /** `file`: a file, or what the containers make there; missing until then. `directory`: a folder that is there from the start. */
  readonly kind: 'file' | 'directory';
  /** Where it really is. Of a file the folder around it is the pod's too, and holds nothing else. */
  readonly hostPath: string;
  /** The file is a script: paths of private files in its text are replaced as in arguments. Default false. */
  readonly isScript?: boolean;
  /** The only container that has it. Default: all of the pod have it. */
  readonly container?: string;
}

/** What a pod declares. A directory may lie anywhere, as a volume that several pods share; a file is in the helper's folder. */
export type DeclaredPath = Omit<PrivatePath, 'hostPath'> & { readonly hostPath?: string };

/** The private paths of a pod, ready for its annotations. The same arguments give the same places, after a restart too. */
export interface PrivatePaths {
  readonly entries: readonly PrivatePath[];
  /** For the pod's metadata: asks for isolation and lists the paths. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Where a path really is: to put an input there before the start, or to read an output after the end. Undefined when it is not private. */
  hostPathOf(path: string): string | undefined;
  /**
   * The folder on the machine that is the pod's alone and in which the path is. The pod may have put symbolic links there
   * that lead anywhere: read outputs through `realPathInside` of `@chandlery/platform`.
   */
  folderOf(path: string): string | undefined;
}

/**
 * Gives each declared path a place in a folder of the caller's. The node makes the folders around it; code that puts
 * inputs there before the start makes them too. A file inside a declared directory has its place there.
 */
export function privatePaths(options: {
  readonly folder: string;
  readonly paths: readonly DeclaredPath[];
}): PrivatePaths {
  const declared = options.paths.map(path => ({ ...path, path: normalize(path.path) }));
  const directories = declared.filter(({ kind }) => kind === 'directory');
  const files = declared.filter(({ kind, path }) => kind === 'file' && !isCovered(path, directories));
  const unique = new Map([...files, ...directories].map(path => [`${path.container ?? ''}:${path.path}`, path]));
  const entries = [...unique.values()].map(path => place(options.folder, path));
  return {
    entries,
    annotations: {
      [isolationAnnotation]: isolationByNamespaces,
      ...(entries.length === 0 ? {} : { [privatePathsAnnotation]: JSON.stringify(entries) }),
    },
    hostPathOf: path => {
      const found = findEntry(entries, normalize(path));
      return found && join(found.hostPath, normalize(path).slice(found.path.length));
    },
    folderOf: path => {
      const found = findEntry(entries, normalize(path));
      return found && (found.kind === 'directory' ? found.hostPath : dirname(found.hostPath));
    },
  };
}

const isCovered = (path: string, directories: readonly { readonly path: string }[]): boolean =>
  directories.some(directory => path === directory.path || path.startsWith(`${directory.path}/`));

function normalize(path: string): string {
  const normal = posix.normalize(path).replace(/\/+$/, '');
  if (!isAbsolute(path) || normal === '' || path.includes('\0')) {
    throw new ChandleryError(
      'InvalidPrivatePath',
      `"${path}" cannot be a private path: it must be absolute, and not /.`,
    );
  }
  return normal;
}

function place(folder: string, declared: DeclaredPath): PrivatePath {
  const key = hash8(declared.container ?? '', declared.path);
  return { ...declared, hostPath: declared.hostPath ?? join(folder, key, basename(declared.path)) };
}

function findEntry(entries: readonly PrivatePath[], path: string): PrivatePath | undefined {
  const around = entries.filter(
    entry => entry.path === path || (entry.kind === 'directory' && isCovered(path, [entry])),
  );
  return around.toSorted((left, right) => right.path.length - left.path.length)[0];
}

/** The private paths that a pod's annotations list; undefined when it does not ask for isolation. */
export function readPrivatePaths(
  annotations: Readonly<Record<string, string>> | undefined,
): readonly PrivatePath[] | undefined {
  if (annotations?.[isolationAnnotation] === undefined) return undefined;
  const value: unknown = parse(annotations[privatePathsAnnotation] ?? '[]');
  if (!Array.isArray(value) || !value.every(isPrivatePath)) {
    throw new ChandleryError(
      'InvalidPrivatePath',
      `Annotation ${privatePathsAnnotation} is not a list of private paths.`,
    );
  }
  return value.map(entry => ({ ...entry, path: normalize(entry.path) }));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isPrivatePath = (value: unknown): value is PrivatePath => {
  const { path, kind, hostPath } = (value ?? {}) as Partial<PrivatePath>;
  return (
    typeof path === 'string' &&
    (kind === 'file' || kind === 'directory') &&
    typeof hostPath === 'string' &&
    isAbsolute(hostPath)
  );
};
