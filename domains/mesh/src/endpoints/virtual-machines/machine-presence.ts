import { systemTimers, type Timers } from '@chandlery/runtime';
import { canonicalIp } from '../../model/endpoints/canonical-ip.ts';
import type { MachineReport, PresentProxy } from '../../ports/endpoints.ts';

/**
 * How long the proxy of a machine may be disconnected before the machine counts as lost: time to connect to another
 * replica.
 */
const defaultGraceMs = 30_000;

export interface MachinePresenceOptions {
  /** Whether a declared machine has this key, see {@link keysOfMachine}; other proxies are not tracked. */
  readonly isMachineKey: (key: string) => boolean;
  /** Called with the namespace of machines that were lost or have returned. */
  readonly onChange: (namespace: string) => void;
  /** Default 30 000. */
  readonly graceMs?: number;
  readonly timers?: Timers;
}

/** An address of a serving machine. */
export interface ServingMachine {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly id: string;
  readonly ip: string;
  /** Whether the id has this address only, and is not a scale set. */
  readonly isOnlyAddress: boolean;
}

/**
 * Tracks lost machines: those whose proxy was connected to any replica and no longer is. A proxy belongs to a machine
 * when it has the account of the service and either the id of the machine or its address. Machines whose proxy was
 * never connected are not judged. A replica that starts takes over from the others which machines are lost.
 */
export class MachinePresence implements Disposable {
  readonly #options: MachinePresenceOptions;
  /** Number of connections to this replica by key. */
  readonly #own = new Map<string, number>();
  /** Keys that other replicas report, by replica. */
  readonly #others = new Map<string, ReadonlySet<string>>();
  /** Keys that were present, and are in the grace period or lost. */
  readonly #absent = new Map<string, { isLost: boolean; cancel: () => void }>();

  constructor(options: MachinePresenceOptions) {
    this.#options = options;
  }

  /** Registers a connected proxy, until what is returned is disposed of. */
  connect(proxy: PresentProxy): Disposable {
    const keys = keysOfProxy(proxy);
    for (const key of keys) {
      this.#own.set(key, (this.#own.get(key) ?? 0) + 1);
      this.#appeared(key);
    }
    let isConnected = true;
    return {
      [Symbol.dispose]: () => {
        if (!isConnected) return;
        isConnected = false;
        for (const key of keys) this.#leave(key);
      },
    };
  }

  /** What this replica knows; other replicas get it by {@link setOther}. */
  get report(): MachineReport {
    const lost = [...this.#absent].flatMap(([key, { isLost }]) => (isLost ? [key] : []));
    return { connected: this.#ofMachines(this.#own.keys()), lost: this.#ofMachines(lost) };
  }

  /** Replaces the report of another replica. */
  setOther(replica: string, { connected, lost }: MachineReport): void {
    const before = this.#others.get(replica) ?? new Set<string>();
    const after = new Set(connected);
    if (after.size === 0) this.#others.delete(replica);
    else this.#others.set(replica, after);
    for (const key of after.difference(before)) this.#appeared(key);
    for (const key of before.difference(after)) this.#disappeared(key);
    for (const key of lost) this.#takeOver(key);
  }

  isLost(machine: ServingMachine): boolean {
    const keys = keysOfMachine(machine);
    const isAwaited = (key: string): boolean => this.#absent.get(key)?.isLost === false;
    return keys.some(key => this.#absent.get(key)?.isLost) && !keys.some(key => this.#isPresent(key) || isAwaited(key));
  }

  [Symbol.dispose](): void {
    for (const { cancel } of this.#absent.values()) cancel();
    this.#absent.clear();
  }

  #ofMachines(keys: Iterable<string>): readonly string[] {
    return [...keys].filter(this.#options.isMachineKey).sort();
  }

  #leave(key: string): void {
    const left = (this.#own.get(key) ?? 1) - 1;
    if (left > 0) this.#own.set(key, left);
    else this.#own.delete(key);
    this.#disappeared(key);
  }

  #isPresent(key: string): boolean {
    return this.#own.has(key) || [...this.#others.values()].some(keys => keys.has(key));
  }

  #appeared(key: string): void {
    const absent = this.#absent.get(key);
    absent?.cancel();
    this.#absent.delete(key);
    if (absent?.isLost) this.#options.onChange(namespaceIn(key));
  }

  #disappeared(key: string): void {
    const { isMachineKey, graceMs = defaultGraceMs, timers = systemTimers } = this.#options;
    if (this.#isPresent(key) || this.#absent.has(key) || !isMachineKey(key)) return;
    const cancel = timers.after(graceMs, () => this.#lose(key));
    this.#absent.set(key, { isLost: false, cancel });
  }

  /** Another replica may not know yet that the machine has returned: what this one has seen itself takes precedence. */
  #takeOver(key: string): void {
    if (!this.#isPresent(key) && !this.#absent.has(key)) this.#lose(key);
  }

  #lose(key: string): void {
    this.#absent.set(key, { isLost: true, cancel: () => undefined });
    this.#options.onChange(namespaceIn(key));
  }
}

const keyOf = (account: string, what: 'id' | 'ip', value: string): string => `${account} ${what}=${value}`;
const namespaceIn = (key: string): string => key.slice(0, key.indexOf('/'));

function keysOfProxy({ identity, peer }: PresentProxy): readonly string[] {
  const account = `${identity.namespace}/${identity.serviceAccount}`;
  const ip = canonicalIp(peer.slice(0, peer.lastIndexOf(':')));
  return [
    ...(identity.proxyId === undefined ? [] : [keyOf(account, 'id', identity.proxyId)]),
    ...(ip === undefined ? [] : [keyOf(account, 'ip', ip)]),
  ];
}

/** The keys that identify the proxy of a machine. */
export function keysOfMachine({ namespace, serviceAccount, id, ip, isOnlyAddress }: ServingMachine): readonly string[] {
  const account = `${namespace}/${serviceAccount}`;
  return [...(isOnlyAddress ? [keyOf(account, 'id', id)] : []), keyOf(account, 'ip', ip)];
}
