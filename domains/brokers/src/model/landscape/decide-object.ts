import { isSameJson } from '@chandlery/runtime';
import type { InternalObject } from '../../kinds/index.ts';
import type { InstanceRow } from '../rows.ts';

/** The label of instances that were made through the API of their domain: its name. */
export const adoptedLabel = 'ordered_through';

/** What to do about an instance of a domain. */
export type ObjectDecision =
  | { readonly type: 'nothing' }
  | { readonly type: 'wait'; readonly delayMs: number }
  /** Make the row of an object. */
  | { readonly type: 'adopt'; readonly object: InternalObject }
  /** Write how far the object is into its row. */
  | { readonly type: 'report'; readonly object: InternalObject; readonly row: InstanceRow }
  /** Write where the object takes connections into its row. */
  | { readonly type: 'listen'; readonly object: InternalObject; readonly row: InstanceRow }
  /** The object was deleted through the API of its domain. */
  | { readonly type: 'remove'; readonly row: InstanceRow };

/** What decides. */
export interface ObjectFacts {
  readonly object: InternalObject | undefined;
  readonly row: InstanceRow | undefined;
  /** Whether an operation of the service manager is in progress for it, or cleans up after one that has failed. */
  readonly isBusy: boolean;
  readonly now: Date;
}

/** An object whose order came through the service manager has its row within this time, unless the process was killed. */
export const orderGraceMs = 5 * 60_000;

const nothing: ObjectDecision = { type: 'nothing' };

/** Decides how an instance of a domain and its row come into agreement. */
export function decideObject({ object, row, isBusy, now }: ObjectFacts): ObjectDecision {
  if (isBusy) return nothing;
  if (object === undefined) return row !== undefined && wasMade(row) ? { type: 'remove', row } : nothing;
  if (row === undefined) return decideAdoption(object, now);
  if ((isAdopted(row) || isKeptFailure(object, row)) && isNews(object, row)) return { type: 'report', object, row };
  return listensElsewhere(object, row) ? { type: 'listen', object, row } : nothing;
}

/** An instance that refers to a shared one has no object of its own, and a failed creation may never have had one. */
const wasMade = (row: InstanceRow): boolean =>
  row.spec.referencedInstanceId === undefined && (row.status.ready === true || isAdopted(row));

/** Whether its creation has failed and its object stayed: that can still succeed when it is repaired through its own API. */
const isKeptFailure = ({ isDeleting }: InternalObject, { status, generation }: InstanceRow): boolean =>
  !isDeleting &&
  status.ready === false &&
  status.observedGeneration !== undefined &&
  status.observedGeneration === generation;

const isAdopted = ({ spec }: InstanceRow): boolean => spec.labels?.[adoptedLabel] !== undefined;

function decideAdoption(object: InternalObject, now: Date): ObjectDecision {
  if (object.isDeleting) return nothing;
  if (!object.isProvisioned) return { type: 'adopt', object };
  const delayMs = Date.parse(object.createdAt) + orderGraceMs - now.getTime();
  return delayMs > 0 ? { type: 'wait', delayMs } : { type: 'adopt', object };
}

function isNews({ progress }: InternalObject, { status }: InstanceRow): boolean {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const isReady = progress.state === 'succeeded';
  return status.ready !== isReady || (!isReady && ready?.message !== messageOf(progress));
}

const listensElsewhere = ({ listens }: InternalObject, { status }: InstanceRow): boolean =>
  !isSameJson(listens, status.listens);

/** What the condition of an instance that is not ready says. */
export const messageOf = ({ state, description }: InternalObject['progress']): string =>
  description ?? (state === 'failed' ? 'it has failed' : 'it is being made');
