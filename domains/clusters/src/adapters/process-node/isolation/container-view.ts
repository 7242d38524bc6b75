import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { PrivatePath } from '../../../kinds/private-paths.ts';
import { type Mount, rewritePaths } from '../../../model/pods/mounts.ts';
import { type LaunchPlan, podFolder } from './launch-plan.ts';
import { isInside, isolationRefused, type Placement, placeMount } from './place-mount.ts';

/** The file system view of an isolated container. */
export interface ContainerView {
  readonly isIsolated: boolean;
  /** Paths that are replaced in command, arguments, variables and scripts. */
  readonly rewrites: readonly Mount[];
  /** The machine's paths of what only the container sees. */
  readonly places: readonly Mount[];
  /** Undefined without namespaces: then the container sees the machine. */
  readonly plan?: LaunchPlan;
}

interface ViewDeps {
  /** Mounts of volumes. */
  readonly mounts: readonly Mount[];
  readonly paths: readonly PrivatePath[];
  /** The container's own. */
  readonly folder: string;
  readonly workingDir: string | undefined;
  /** Paths that the container must not see. */
  readonly hidden: readonly string[];
}

const own = { work: `${podFolder}/work`, tmp: `${podFolder}/tmp`, paths: `${podFolder}/paths` };

/** The folders of an isolated container as it sees them. */
export const isolatedFolders = { work: own.work, tmp: own.tmp };

/** The view without namespaces: every private path is replaced by its real path. */
export function rewrittenView({ mounts, paths, folder }: ViewDeps): ContainerView {
  const { directories, files } = splitPaths(mounts, paths);
  makeFolders(directories, files);
  const rewrites = [...directories, ...files.map(({ path, hostPath }) => ({ mountPath: path, hostPath }))];
  const scripts = writeScripts(files, rewrites, folder);
  const all = rewrites.map(mount => ({ ...mount, hostPath: scripts.get(mount.mountPath) ?? mount.hostPath }));
  return { isIsolated: true, rewrites: all, places: [] };
}

/**
 * The view in namespaces: directories are mounted; a file is linked, and its path replaced, so that it can be renamed
 * and removed too.
 */
export function namespacedView(deps: ViewDeps): ContainerView {
  const { directories: declared, files } = splitPaths(deps.mounts, deps.paths);
  const directories = withWorkingFolder(declared, deps);
  makeFolders(directories, files);
  const seen = (path: PrivatePath, index: number): string => join(own.paths, String(index), basename(path.path));
  const rewrites = files.map((file, index) => ({ mountPath: file.path, hostPath: seen(file, index) }));
  const scripts = writeScripts(files, rewrites, deps.folder);
  const sources = files.map(({ path, hostPath }) => dirname(scripts.get(path) ?? hostPath));
  const plan = planMounts({ ...deps, directories, files, rewrites, sources });
  const places = [
    ...directories,
    ...files.map(({ path, hostPath }) => ({ mountPath: path, hostPath: scripts.get(path) ?? hostPath })),
    ...sources.map((source, index) => ({ mountPath: join(own.paths, String(index)), hostPath: source })),
    { mountPath: own.work, hostPath: join(deps.folder, 'work') },
    { mountPath: own.tmp, hostPath: join(deps.folder, 'tmp') },
  ];
  return { isIsolated: true, rewrites, places, plan };
}

/** Directories, outer ones first, and the files that are in none of them. */
function splitPaths(mounts: readonly Mount[], paths: readonly PrivatePath[]) {
  const declared = paths.filter(({ kind }) => kind === 'directory');
  const all = [...mounts, ...declared.map(({ path, hostPath }) => ({ mountPath: path, hostPath }))];
  const directories = all.toSorted((left, right) => left.mountPath.length - right.mountPath.length);
  const isOutside = ({ path }: PrivatePath): boolean => !directories.some(({ mountPath }) => isInside(path, mountPath));
  return { directories, files: paths.filter(path => path.kind === 'file' && isOutside(path)) };
}

/** The working directory of the container: one of its own when nothing else is mounted there. */
function withWorkingFolder(directories: readonly Mount[], { workingDir = '', folder }: ViewDeps): readonly Mount[] {
  const isThere = directories.some(({ mountPath }) => isInside(workingDir, mountPath)) || existsSync(workingDir);
  if (isThere || !workingDir.startsWith('/')) return directories;
  return [...directories, { mountPath: workingDir, hostPath: join(folder, 'cwd') }];
}

function makeFolders(directories: readonly Mount[], files: readonly PrivatePath[]): void {
  const folders = [
    ...directories.map(({ hostPath }) => hostPath).filter(path => !existsSync(path)),
    ...files.map(({ hostPath }) => dirname(hostPath)),
  ];
  for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Writes scripts with replaced paths, and returns their places. The given text stays for the next start. */
function writeScripts(
  files: readonly PrivatePath[],
  rewrites: readonly Mount[],
  folder: string,
): ReadonlyMap<string, string> {
  const written = files
    .filter(({ isScript, hostPath }) => isScript === true && existsSync(hostPath))
    .map(({ path, hostPath }, index): [string, string] => {
      const copy = join(folder, 'scripts', String(index), basename(path));
      mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
      const text = rewritePaths(readFileSync(hostPath, 'utf8'), rewrites);
      writeFileSync(copy, text, { mode: statSync(hostPath).mode & 0o777 });
      return [path, copy];
    });
  return new Map(written);
}

interface PlanDeps extends ViewDeps {
  readonly directories: readonly Mount[];
  readonly files: readonly PrivatePath[];
  readonly rewrites: readonly Mount[];
  /** The real folders around the files. */
  readonly sources: readonly string[];
}

function planMounts({ directories, files, rewrites, sources, folder, hidden }: PlanDeps): LaunchPlan {
  const real = outermost(hidden.filter(path => existsSync(path)).map(path => realpathSync(path)));
  const folders = placeDirectories(directories);
  const links = files.map(({ path }) => placeMount(path, 'file'));
  const placements = [...folders, ...links];
  for (const { target } of placements) rejectHidden(target, real);
  const linked = links.map((link, index) => ({ ...link, to: rewrites[index]?.hostPath ?? '' }));
  return {
    points: placements.flatMap(({ point }) => (point === undefined ? [] : [point])),
    views: [...new Set(placements.flatMap(({ view }) => (view === undefined ? [] : [view])))].sort(),
    hidden: real,
    binds: [
      { source: join(folder, 'work'), target: own.work },
      { source: join(folder, 'tmp'), target: own.tmp },
      ...sources.map((source, index) => ({ source, target: join(own.paths, String(index)) })),
      ...folders.map(({ target }, index) => ({ source: directories[index]?.hostPath ?? '', target })),
      // A link cannot be mounted over a directory: an empty one hides the machine's.
      ...linked.filter(({ found }) => found === 'directory').map(({ target }) => ({ source: emptyOf(folder), target })),
    ],
    links: linked.filter(({ found }) => found !== 'directory').map(({ to, target }) => ({ to, path: target })),
  };
}

/** Paths without those inside others. */
const outermost = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].filter((path, _, all) => !all.some(other => other !== path && isInside(path, other)));

/** Inside another mount the launcher makes the mount point there, as Kubernetes does in a volume. */
function placeDirectories(directories: readonly Mount[]): readonly Placement[] {
  const placements: Placement[] = [];
  for (const { mountPath, hostPath } of directories) {
    const outer = directories.slice(0, placements.length).findLastIndex(other => isInside(mountPath, other.mountPath));
    const inside = placements[outer]?.target;
    const rest = mountPath.slice(directories[outer]?.mountPath.length ?? 0);
    placements.push(inside === undefined ? placeOne(mountPath, hostPath) : { target: inside + rest, found: 'nothing' });
  }
  return placements;
}

function placeOne(mountPath: string, hostPath: string): Placement {
  const kind = statSync(hostPath).isDirectory() ? 'directory' : 'file';
  const placement = placeMount(mountPath, kind);
  if (placement.found !== 'nothing' && placement.found !== kind) {
    throw isolationRefused(
      `"${mountPath}" cannot be mounted as a ${kind}: on this machine it is a ${placement.found}.`,
    );
  }
  return placement;
}

function emptyOf(folder: string): string {
  const empty = join(folder, 'empty');
  mkdirSync(empty, { recursive: true, mode: 0o700 });
  return empty;
}

function rejectHidden(target: string, hidden: readonly string[]): void {
  const covering = hidden.find(folder => isInside(target, folder));
  if (covering !== undefined) throw isolationRefused(`"${target}" is in a folder that isolated pods cannot see.`);
}
