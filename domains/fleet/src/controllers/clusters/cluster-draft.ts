import { isDeepStrictEqual } from 'node:util';
import type { StepResult } from '@chandlery/runtime';
import type { ClusterState } from '../../kinds/index.ts';
import { type StatedInstanceCondition, withCondition } from '../../model/instance-conditions.ts';
import { type ClusterRow, type FleetWrite, removeRow, updateRow } from '../../registry/fleet-registry.ts';
import type { ClusterDeps } from './cluster-deps.ts';

/** Conditions of a cluster, in the order of its life. */
export type ClusterCondition =
  | 'Provisioned'
  | 'DnsKnown'
  | 'IdentityReady'
  | 'ResourcesApplied'
  | 'AgentInstalled'
  | 'AgentConnected'
  | 'Ready';

/** A cluster that a reconcile works on. What it changes is written in one commit, if the row is still the same. */
export class ClusterDraft {
  readonly row: ClusterRow;
  readonly #now: string;
  #status: ClusterRow['status'];
  #isRemoved = false;

  constructor(row: ClusterRow, now: string) {
    this.row = row;
    this.#status = row.status;
    this.#now = now;
  }

  get status(): ClusterRow['status'] {
    return this.#status;
  }

  set(changes: Partial<ClusterRow['status']>): void {
    const next = { ...this.#status, ...changes };
    this.#status = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
  }

  moveTo(state: ClusterState, changes: Partial<ClusterRow['status']> = {}): void {
    this.set({ ...changes, ...(state === this.#status.state ? {} : { state, stateSince: this.#now }) });
  }

  /** States a condition as fulfilled. */
  fulfil(type: ClusterCondition, reason: string, message = ''): void {
    this.#state({ type, status: 'True', reason, message });
  }

  /** States a condition as not fulfilled. */
  lack(type: ClusterCondition, reason: string, message = ''): void {
    this.#state({ type, status: 'False', reason, message });
  }

  remove(): void {
    this.#isRemoved = true;
  }

  commitWrites(): readonly FleetWrite[] {
    if (this.#isRemoved) return [removeRow('clusters', this.row)];
    if (isDeepStrictEqual({ ...this.row.status }, { ...this.#status })) return [];
    return [updateRow({ table: 'clusters', row: this.row, status: this.#status })];
  }

  #state(condition: StatedInstanceCondition): void {
    this.set({ conditions: withCondition(this.#status.conditions, condition, this.#now) });
  }
}

/** One thing that the worker does for a cluster. */
export type ClusterStep = (draft: ClusterDraft, deps: ClusterDeps, now: Date) => StepResult | Promise<StepResult>;
