import { readdirSync, readFileSync } from 'node:fs';

/** A process of a landscape, as the machine shows it. */
export interface LandscapeProcess {
  readonly pid: number;
  readonly role: 'server' | 'watchdog' | 'container';
  /** Of a container: its pod's name and uid; whether it is the first process and not one that it started. */
  readonly pod: string;
  readonly podUid: string;
  readonly isFirst: boolean;
}

/** Finds the processes of a landscape in the process table, whatever their parent is by now. */
export class LandscapeProcesses {
  readonly #dataDir: string;
  /** The mark of all processes that the node starts; its watchdog gets it too. */
  #nodeVariable: string | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  list(): readonly LandscapeProcess[] {
    const raw = readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(pid => readRaw(Number(pid)))
      .filter(found => found !== undefined);
    const servers = raw.filter(process => this.#isServer(process)).map(({ pid }) => pid);
    const watchdog = raw.find(({ parent, command }) => servers.includes(parent) && isWatchdog(command));
    this.#nodeVariable ??= /CHANDLERY_NODE=(\w+)/.exec(watchdog?.command ?? '')?.[1];
    return raw.map(process => this.#classify(process)).filter(found => found !== undefined);
  }

  #isServer({ command }: RawProcess): boolean {
    return command.includes(`\0--data-dir\0${this.#dataDir}\0`);
  }

  #classify(raw: RawProcess): LandscapeProcess | undefined {
    const { pid, isLeader, command, environment } = raw;
    const [pod = '', podUid = ''] = ['NAME', 'UID'].map(part => environment.get(`CHANDLERY_POD_${part}`));
    const found = { pid, pod, podUid, isFirst: isLeader };
    if (this.#isServer(raw)) return { ...found, role: 'server' };
    const variable = this.#nodeVariable;
    if (variable === undefined) return undefined;
    if (isWatchdog(command) && command.includes(variable)) return { ...found, role: 'watchdog' };
    if (environment.get('CHANDLERY_NODE') === variable) return { ...found, role: 'container' };
    return undefined;
  }
}

const isWatchdog = (command: string): boolean => command.includes('chandlery-watchdog');

interface RawProcess {
  readonly pid: number;
  readonly parent: number;
  readonly isLeader: boolean;
  readonly command: string;
  readonly environment: ReadonlyMap<string, string>;
}

/** Undefined for one that has ended meanwhile, or has ended and was not waited for. */
function readRaw(pid: number): RawProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    const variables = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    const environment = new Map(variables.map(line => splitOnce(line, '=')));
    return { pid, parent: Number(parent), isLeader: Number(group) === pid, command, environment };
  } catch {
    return undefined;
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
