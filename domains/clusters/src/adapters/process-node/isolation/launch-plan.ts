/**
 * A mount point to create on the machine while the command runs: the parts `rest` inside the existing directory `base`.
 */
export interface MountPoint {
  readonly kind: 'file' | 'directory';
  readonly base: string;
  readonly rest: string;
}

/** The changes that the launcher makes to the file system of a command. All paths are real ones of this machine. */
export interface LaunchPlan {
  readonly points: readonly MountPoint[];
  /**
   * Directories in which nothing can be created: the command gets private ones in their place with the same entries.
   */
  readonly views: readonly string[];
  /** Files and folders that the command must not see. */
  readonly hidden: readonly string[];
  /** Mounted in this order. */
  readonly binds: readonly { readonly source: string; readonly target: string }[];
  /** Symbolic links, mounted over files; their targets need not exist yet. */
  readonly links: readonly { readonly to: string; readonly path: string }[];
}

/** The directory inside that has everything of the pod. */
export const podFolder = '/.pod';

/** The command. */
interface Program {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** Numbers of system calls that Perl has no function for. */
const sharedCalls = { open_tree: 428, move_mount: 429, mount_setattr: 442 };
const callsOf: Readonly<Partial<Record<NodeJS.Architecture, Readonly<Record<string, number>>>>> = {
  x64: { ...sharedCalls, mount: 165, umount2: 166, pivot_root: 155, clone: 56, prctl: 157 },
  arm64: { ...sharedCalls, mount: 40, umount2: 39, pivot_root: 41, clone: 220, prctl: 167 },
};

/** Whether the launcher knows the system calls of this machine. */
export const hasSystemCalls = (architecture: NodeJS.Architecture): boolean => callsOf[architecture] !== undefined;

/** Encodes a plan for the launcher: words separated by zero bytes. */
export function encodeLaunch(plan: LaunchPlan, { command, environment, folder }: Program): string {
  const words = [
    ...systemCalls(),
    ...plan.points.flatMap(encodePoint),
    ...plan.views.flatMap(path => ['view', path]),
    ...plan.hidden.flatMap(path => ['hide', path]),
    ...plan.binds.flatMap(({ source, target }) => ['bind', source, target]),
    ...plan.links.flatMap(({ to, path }) => ['link', to, path]),
    ...Object.entries(environment).flatMap(([name, value]) => ['variable', name, value]),
    ...['folder', folder, 'command', String(command.length), ...command],
  ];
  return [...words, 'go'].join('\0');
}

/** Encodes the removal of unused mount points. */
export const encodeSweep = (points: readonly MountPoint[]): string =>
  [...systemCalls(), ...points.flatMap(encodePoint), 'sweep', 'go'].join('\0');

const systemCalls = (): readonly string[] =>
  Object.entries(callsOf[process.arch] ?? {}).flatMap(([name, number]) => ['number', name, String(number)]);

const encodePoint = ({ kind, base, rest }: MountPoint): readonly string[] => ['point', kind, base, rest];
