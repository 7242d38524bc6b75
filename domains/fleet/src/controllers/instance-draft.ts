import { statusAfter, statusWrites } from '../actions/change-instance.ts';
import { type StatedInstanceCondition, withCondition } from '../model/instance-conditions.ts';
import type { InstanceEvent, InstanceStatus } from '../model/instance-events.ts';
import type { ClientCredentials, InstanceCertificate } from '../ports.ts';
import type { FleetWrite, InstanceRow } from '../registry/fleet-registry.ts';

/** What steps of one reconcile hand on to each other. */
export interface DraftNotes {
  host?: string;
  credentials?: ClientCredentials;
  certificate?: InstanceCertificate;
}

/** An instance that a reconcile works on. What it changes is written in one commit, if the row is still the same. */
export class InstanceDraft {
  readonly row: InstanceRow;
  readonly notes: DraftNotes = {};
  /** Written in the same commit. */
  readonly writes: FleetWrite[] = [];
  readonly #now: string;
  #status: InstanceStatus;
  #isRemoved = false;

  constructor(row: InstanceRow, now: string) {
    this.row = row;
    this.#status = row.status;
    this.#now = now;
  }

  get id(): string {
    return this.row.id;
  }

  get spec(): InstanceRow['spec'] {
    return this.row.spec;
  }

  /** As it will be. */
  get status(): InstanceStatus {
    return this.#status;
  }

  /** Applies an event by the table of transitions; what has no effect changes nothing. */
  apply(...events: readonly InstanceEvent[]): void {
    this.#status = statusAfter(this.#status, events, this.#now);
  }

  /** States a condition. */
  state(condition: StatedInstanceCondition): void {
    this.#status = { ...this.#status, conditions: withCondition(this.#status.conditions, condition, this.#now) };
  }

  /** Remembers something for the steps of an extension. */
  remember(key: string, value: string): void {
    this.#status = { ...this.#status, extensionData: { ...this.#status.extensionData, [key]: value } };
  }

  /** The row itself is removed by one of the writes. */
  markRemoved(): void {
    this.#isRemoved = true;
  }

  /** Everything to commit. */
  commitWrites(): readonly FleetWrite[] {
    const own = this.#isRemoved ? [] : statusWrites(this.row, this.#status, this.#now);
    return [...own, ...this.writes];
  }
}
