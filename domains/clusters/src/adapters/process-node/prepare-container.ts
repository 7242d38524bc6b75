import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { ChandleryError, tryParseQuantity } from '@chandlery/api';
import { resolveEnvironment } from '../../model/pods/environment.ts';
import { expand } from '../../model/pods/expand.ts';
import { findImage, type ImageMap, type ImageMapping } from '../../model/pods/images.ts';
import { type Mount, restorePaths, rewritePaths } from '../../model/pods/mounts.ts';
import type { Container, Pod } from '../../model/pods/pod.ts';
import type { Machine } from '../../model/pods/pod-fields.ts';
import type { PodSources } from '../../ports.ts';
import { type ContainerView, isolatedFolders } from './isolation/container-view.ts';
import type { LaunchPlan } from './isolation/launch-plan.ts';
import type { RestoreLine } from './log-writer.ts';

/** A container ready to start. */
export interface PreparedContainer {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Paths that are replaced in the container's input. */
  readonly mounts: readonly Mount[];
  /** Reverts the replacements in the output of an isolated container. */
  readonly restore?: RestoreLine;
  /** The namespaces to run in. Default: those of this process. */
  readonly plan?: LaunchPlan;
  readonly stopSignal: NodeJS.Signals;
  readonly memoryBytes?: number;
  readonly niceness?: number;
}

export interface PreparationDeps {
  readonly pod: Pod;
  readonly container: Container;
  readonly sources: PodSources;
  readonly machine: Machine;
  readonly images: ImageMap;
  /** The base of the folders of images. */
  readonly baseFolder: string;
  readonly view: ContainerView;
  readonly containerFolder: string;
  /** Variables that every container gets. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Determines what to run for a container. Throws `ErrImagePull` or `CreateContainerConfigError`. */
export function prepareContainer(deps: PreparationDeps): PreparedContainer {
  const { container, view } = deps;
  const { rewrites: mounts, plan } = view;
  const mapping = locate(findImage(deps.images, container.image ?? ''), deps.baseFolder);
  const home = makeFolder(deps.containerFolder, 'work');
  const environment = prepareEnvironment(deps, mapping, home);
  const folder = plan === undefined ? prepareFolder(container, mounts, home) : isolatedFolder(container);
  const real = (word: string): string => rewritePaths(expand(word, environment), mounts);
  const onMachine = (path: string): string => rewritePaths(path, view.places);
  const entry = findEntry({ container, mapping, environment, folder, real, onMachine });
  const args = container.args ?? (container.command === undefined ? (mapping?.args ?? []) : []);
  return {
    command: [...entry, ...args.map(real)],
    environment,
    folder,
    mounts,
    ...(plan === undefined ? {} : { plan }),
    ...(view.isIsolated ? { restore: restoreLine(mounts) } : {}),
    stopSignal: (container.lifecycle?.stopSignal ?? mapping?.stopSignal ?? 'SIGTERM') as NodeJS.Signals,
    ...limitsOf(container),
  };
}

const restoreLine =
  (mounts: readonly Mount[]): RestoreLine =>
  line => {
    const isConcerned = mounts.some(({ hostPath }) => line.includes(hostPath));
    return isConcerned ? Buffer.from(restorePaths(line.toString('latin1'), mounts.map(toLatin1)), 'latin1') : line;
  };

/** Bytes as characters: a line need not be UTF-8. */
const toLatin1 = ({ mountPath, hostPath }: Mount): Mount => ({
  mountPath: Buffer.from(mountPath).toString('latin1'),
  hostPath: Buffer.from(hostPath).toString('latin1'),
});

/** The mapping with absolute paths. */
function locate(mapping: ImageMapping | undefined, baseFolder: string): ImageMapping | undefined {
  if (mapping === undefined) return undefined;
  const folder = resolve(baseFolder, mapping.folder ?? '.');
  const full = (word: string): string => (word.startsWith('./') ? join(folder, word) : word);
  return { ...mapping, command: mapping.command.map(full), args: (mapping.args ?? []).map(full) };
}

function makeFolder(...parts: readonly string[]): string {
  const folder = join(...parts);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function prepareEnvironment(
  deps: PreparationDeps,
  mapping: ImageMapping | undefined,
  home: string,
): Record<string, string> {
  const { pod, container, view } = deps;
  const tmp = makeFolder(deps.containerFolder, 'tmp');
  const given: Readonly<Record<string, string>> = {
    // Our own first: `node` is the Node.js that runs this process.
    PATH: [dirname(process.execPath), process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter),
    HOME: view.plan === undefined ? home : isolatedFolders.work,
    TMPDIR: view.plan === undefined ? tmp : isolatedFolders.tmp,
    HOSTNAME: pod.spec.hostname ?? pod.name,
    CHANDLERY_POD_NAME: pod.name,
    CHANDLERY_POD_NAMESPACE: pod.namespace,
    CHANDLERY_POD_UID: pod.uid,
    CHANDLERY_CONTAINER: container.name,
    ...deps.environment,
    ...mapping?.env,
  };
  const resolved = Object.entries(resolveEnvironment(deps, given));
  // Values of the pod refer to its mounts; our own values are paths of this machine already.
  const real = resolved.map(([name, value]) => [
    name,
    value === given[name] ? value : rewritePaths(value, view.rewrites),
  ]);
  return Object.fromEntries(real) as Record<string, string>;
}

/** The working directory: a mount, a directory of this machine, or one of the container's own. */
function prepareFolder({ workingDir }: Container, mounts: readonly Mount[], home: string): string {
  if (workingDir === undefined || workingDir === '') return home;
  const real = rewritePaths(workingDir, mounts);
  if (real !== workingDir) return makeFolder(real);
  return isAbsolute(workingDir) && isFolder(workingDir)
    ? workingDir
    : makeFolder(home, workingDir.replaceAll('..', ''));
}

/**
 * The working directory as an isolated container sees it. The launcher creates it inside, where links in volumes cannot
 * lead outside.
 */
const isolatedFolder = ({ workingDir = '' }: Container): string => resolve(isolatedFolders.work, workingDir);

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

interface EntryDeps {
  readonly container: Container;
  readonly mapping: ImageMapping | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly real: (word: string) => string;
  /** The machine's path of a path that the container sees. */
  readonly onMachine: (path: string) => string;
}

function findEntry({ container, mapping, environment, folder, real, onMachine }: EntryDeps): readonly string[] {
  const own = (container.command ?? []).map(real);
  const place = (program: string): string => (program.includes('/') ? onMachine(resolve(folder, program)) : program);
  const isOwnThere = own[0] !== undefined && isExecutable(place(own[0]), environment.PATH ?? '', folder);
  if (isOwnThere) return own;
  if (mapping === undefined) throw noImage(container);
  const [program = ''] = mapping.command;
  if (!isExecutable(program, environment.PATH ?? '', folder)) {
    throw new ChandleryError(
      'ErrImagePull',
      `Image "${container.image}" is mapped to "${program}", which is neither on PATH nor a program file of this machine.`,
    );
  }
  return mapping.command;
}

/** Shows the command as the pod has it: expanded, it may contain a Secret. */
function noImage({ image = '', command: [program] = [] }: Container): ChandleryError {
  const why =
    program === undefined ? 'the container names no command' : `its command "${program}" is not on this machine`;
  const how = `Local clusters run programs of this machine: create a HostImage on the platform cluster with spec.image ${JSON.stringify(image)} and spec.command.`;
  return new ChandleryError('ErrImagePull', `Image "${image}" cannot run here: it has no mapping, and ${why}. ${how}`);
}

function isExecutable(program: string, path: string, folder: string): boolean {
  if (program.includes('/')) return canRun(resolve(folder, program));
  return path.split(delimiter).some(place => place !== '' && canRun(join(place, program)));
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Limits as far as the machine offers them: memory is monitored, little CPU means low priority. */
function limitsOf(container: Container): Pick<PreparedContainer, 'memoryBytes' | 'niceness'> {
  const { memory, cpu } = container.resources?.limits ?? {};
  const memoryNanos = memory === undefined ? undefined : tryParseQuantity(String(memory))?.nanos;
  const cpus = cpu === undefined ? undefined : Number(tryParseQuantity(String(cpu))?.nanos ?? 0n) / 1e9;
  return {
    ...(memoryNanos === undefined ? {} : { memoryBytes: Number(memoryNanos / 1_000_000_000n) }),
    ...(cpus === undefined || cpus >= 1 ? {} : { niceness: cpus <= 0.25 ? 10 : 5 }),
  };
}
