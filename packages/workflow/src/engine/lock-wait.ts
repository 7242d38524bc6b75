import { durationMs } from '../document/durations.ts';
import type { LockRef, Synchronization, Template } from '../document/template.ts';
import type { LockRequest } from './actions.ts';
import type { Core } from './core.ts';
import { type NodeStatus, timeoutMessage } from './node-status.ts';
import type { Observation } from './observations.ts';

/** The locks that a template or workflow asks for, without repetition. */
export function locksOf(synchronization: Synchronization, namespace: string): LockRequest[] {
  const { mutex, mutexes = [], semaphore, semaphores = [] } = synchronization;
  const locks: LockRequest[] = [];
  for (const reference of [...(mutex === undefined ? [] : [mutex]), ...mutexes]) {
    const kind = reference.database === true ? 'Database' : 'Mutex';
    locks.push({ kind: 'mutex', name: lockName(reference, namespace, kind, reference.name ?? '') });
  }
  for (const reference of [...(semaphore === undefined ? [] : [semaphore]), ...semaphores]) {
    locks.push({ kind: 'semaphore', name: semaphoreName(reference, namespace) });
  }
  return [...new Map(locks.map(lock => [lock.name, lock])).values()];
}

function semaphoreName(reference: LockRef, namespace: string): string {
  if (reference.database !== undefined) return lockName(reference, namespace, 'Database', databaseKey(reference));
  const { name = '', key = '' } = reference.configMapKeyRef ?? {};
  return lockName(reference, namespace, 'ConfigMap', `${name}/${key}`);
}

const databaseKey = ({ database }: LockRef): string => (typeof database === 'object' ? database.key : '');

const lockName = (reference: LockRef, namespace: string, kind: string, name: string): string =>
  `${reference.namespace ?? namespace}/${kind}/${name}`;

/** How long a node may wait before its template is executed. */
export function pendingTimeoutMs({ timeout = '', pendingTimeout = '' }: Template): number | undefined {
  const limits = [timeout, pendingTimeout].filter(text => text !== '').map(durationMs);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

export interface LockWaitOptions {
  readonly core: Core;
  readonly holder: string;
  readonly locks: readonly LockRequest[];
  readonly isExitHandler: boolean;
  /** The locks were granted before the execution was restored. */
  readonly isHeld: boolean;
  /** The node that shows that it waits. */
  readonly openNode: (message: string) => NodeStatus;
  readonly findNode: () => NodeStatus | undefined;
  readonly timeoutMs: number | undefined;
  readonly granted: (isHeld: boolean) => void;
  readonly failed: (phase: 'Failed' | 'Error', message: string) => void;
}

/** Waits for locks and gives them back. */
export class LockWait {
  readonly isExitHandler: boolean;
  readonly #options: LockWaitOptions;
  #isReleased = false;

  constructor(options: LockWaitOptions) {
    this.#options = options;
    this.isExitHandler = options.isExitHandler;
  }

  request(): void {
    const { core, holder, locks, isHeld, granted } = this.#options;
    const priority = core.spec.priority ?? 0;
    core.act({ kind: 'acquire', holder, locks, priority, requestedAt: core.identity.creationTime, isHeld });
    if (isHeld) return granted(true);
    core.receivers.set(holder, this);
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    const { core, holder } = this.#options;
    core.receivers.delete(holder);
    core.timers.clear(`lock:${holder}`);
    core.act({ kind: 'release', holder });
  }

  readonly observe = (observation: Observation): void => {
    const { core, holder, failed } = this.#options;
    if (observation.kind === 'lockWaiting') this.#wait(observation.lock, observation.message);
    if (observation.kind === 'lockGranted') this.#grant();
    if (observation.kind === 'lockFailed') {
      core.receivers.delete(holder);
      failed('Error', observation.message);
    }
  };

  readonly abort = (cause: 'shutdown' | 'deadline'): void => {
    const { core, failed } = this.#options;
    this.release();
    failed(
      'Failed',
      cause === 'shutdown' ? `Stopped with strategy '${core.shutdown ?? ''}'` : 'Step exceeded its deadline',
    );
  };

  #wait(lock: string, message: string): void {
    const { core, openNode, timeoutMs, holder, failed } = this.#options;
    const node = openNode(message);
    core.nodes.update(node, changed => {
      changed.synchronizationStatus = { waiting: lock };
      changed.message = message;
    });
    if (timeoutMs === undefined) return;
    core.timers.set(`lock:${holder}`, Date.parse(node.startedAt) + timeoutMs, () => {
      this.release();
      failed('Failed', timeoutMessage);
    });
  }

  #grant(): void {
    const { core, holder, granted, findNode } = this.#options;
    core.receivers.delete(holder);
    core.timers.clear(`lock:${holder}`);
    const node = findNode();
    if (node !== undefined) {
      core.nodes.update(node, changed => {
        delete changed.synchronizationStatus;
        delete changed.message;
      });
    }
    core.enqueue(() => granted(false));
  }
}
