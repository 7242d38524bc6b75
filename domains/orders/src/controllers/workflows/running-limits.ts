import type { WorkflowRecord } from '../../kinds/workflows/index.ts';
import type { WorkflowSettings } from './settings.ts';

interface Waiting {
  readonly uid: string;
  readonly namespace: string;
  readonly priority: number;
  readonly createdAt: string;
}

/** Which workflows may run, of all and of each namespace. Others wait: the highest priority first, then the oldest. */
export class RunningLimits {
  readonly #settings: WorkflowSettings;
  readonly #running = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting>();

  constructor(settings: WorkflowSettings) {
    this.#settings = settings;
  }

  /** Takes a place, or waits for one. Returns whether the workflow may run. */
  admit(record: WorkflowRecord): boolean {
    const waiting = waitingOf(record);
    if (this.#running.has(waiting.uid)) return true;
    const isAllowed = this.#hasRoom(waiting.namespace) && this.#isNext(waiting);
    if (!isAllowed) {
      this.#waiting.set(waiting.uid, waiting);
      return false;
    }
    this.take(waiting.uid, waiting.namespace);
    return true;
  }

  /** Takes a place whatever the limits, for a workflow that runs already. */
  take(uid: string, namespace: string): void {
    this.#waiting.delete(uid);
    if (this.#running.has(uid)) return;
    this.#running.set(uid, namespace);
    this.#counts.set(namespace, (this.#counts.get(namespace) ?? 0) + 1);
  }

  /** Gives back a place. Returns who may be next. */
  leave(uid: string): string | undefined {
    this.#waiting.delete(uid);
    const namespace = this.#running.get(uid);
    if (namespace !== undefined) {
      this.#running.delete(uid);
      this.#counts.set(namespace, (this.#counts.get(namespace) ?? 1) - 1);
    }
    return this.#next()?.uid;
  }

  #hasRoom(namespace: string): boolean {
    const { maxRunning = Number.POSITIVE_INFINITY, maxRunningPerNamespace = Number.POSITIVE_INFINITY } = this.#settings;
    return this.#running.size < maxRunning && (this.#counts.get(namespace) ?? 0) < maxRunningPerNamespace;
  }

  #isNext(candidate: Waiting): boolean {
    const next = this.#next();
    return next === undefined || next.uid === candidate.uid || byTurn(candidate, next) < 0;
  }

  #next(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const waiting of this.#waiting.values())
      if (this.#hasRoom(waiting.namespace) && (next === undefined || byTurn(waiting, next) < 0)) next = waiting;
    return next;
  }
}

const byTurn = (a: Waiting, b: Waiting): number =>
  b.priority - a.priority || a.createdAt.localeCompare(b.createdAt) || a.uid.localeCompare(b.uid);

const waitingOf = ({ metadata, spec }: WorkflowRecord): Waiting => ({
  uid: metadata.uid ?? '',
  namespace: metadata.namespace ?? '',
  priority: Number((spec as { priority?: number }).priority ?? 0),
  createdAt: metadata.creationTimestamp ?? '',
});
