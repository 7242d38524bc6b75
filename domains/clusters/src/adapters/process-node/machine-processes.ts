import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process as `/proc` shows it. */
interface MachineProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly isZombie: boolean;
}

const isLinux = process.platform === 'linux';

/** Fields of `/proc/<pid>/stat` after the name, which may itself contain spaces and brackets. */
function readStat(pid: number | string): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function readProcess(pid: number): MachineProcess | undefined {
  const [state = '', parent, group, session] = readStat(pid) ?? [];
  if (state === '') return undefined;
  const isZombie = state === 'Z' || state === 'X';
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), isZombie };
}

function hasVariable(pid: number, variable: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${variable}\0`);
  } catch {
    return false; // Not readable, or ended meanwhile.
  }
}

/** Identifies related processes: a process group, and all processes that inherited a variable. */
export interface Family {
  readonly group?: number;
  /** `NAME=value` */
  readonly variable: string;
}

/**
 * The pids of a family with all descendants. Without `/proc` none is found, and only the process group can be
 * signalled.
 */
export function findFamily({ group, variable }: Family): readonly number[] {
  if (!isLinux) return [];
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  const all = pids.map(pid => readProcess(Number(pid))).filter(found => found !== undefined);
  const alive = all.filter(({ isZombie, pid }) => !isZombie && pid !== process.pid);
  const isMember = (one: MachineProcess): boolean =>
    (group !== undefined && (one.group === group || one.session === group)) || hasVariable(one.pid, variable);
  return withDescendants(alive.filter(isMember), alive);
}

function withDescendants(members: readonly MachineProcess[], all: readonly MachineProcess[]): readonly number[] {
  const family = new Set(members.map(({ pid }) => pid));
  for (let before = -1; before !== family.size; ) {
    before = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return [...family];
}

/** Sends a signal; an ended process or group is no error. A negative pid is a group. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Ended already.
  }
}

/** Kills a family. Returns the number of processes found; call it again until none is. */
export function killFamily(family: Family): number {
  const pids = findFamily(family);
  if (family.group !== undefined) sendSignal(-family.group, 'SIGKILL');
  for (const pid of pids) sendSignal(pid, 'SIGKILL');
  return pids.length;
}

/** The start time of a process, which another process with the same pid cannot have; undefined when there is none. */
export function startTimeOf(pid: number): string | undefined {
  if (!isLinux) return startTimeByPs(pid);
  const ticks = readStat(pid)?.[19];
  return ticks === undefined
    ? undefined
    : `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${ticks}`;
}

function startTimeByPs(pid: number): string | undefined {
  try {
    const told = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
    return told.toString().trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * The private memory of the processes in bytes; shared pages are excluded, because each fork would count them again.
 */
export function privateMemoryOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + privateMemory(pid), 0);
}

function privateMemory(pid: number): number {
  try {
    const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Of `/proc/<pid>/stat`, on all machines. */
const ticksPerSecond = 100;

/** The CPU time that processes have used since they began, in seconds. Ended processes count for nothing. */
export const cpuSecondsOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const stat = readStat(pid);
    return sum + (Number(stat?.[11] ?? 0) + Number(stat?.[12] ?? 0)) / ticksPerSecond;
  }, 0);
