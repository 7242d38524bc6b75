import type { JsonObject } from '@chandlery/api';
import type { BrokerSettings } from '../../settings.ts';
import { hashParameters } from '../json.ts';
import type { BindingRow, InstanceRow, OfferingRow, OperationRow, PlanRow } from '../rows.ts';
import { nameOf } from './broker-requests.ts';
import type { OperationChange } from './operation-end.ts';
import { isEnded, isFromKubernetes } from './operation-state.ts';

/** What an object of the Kubernetes API asks for now. */
export type AdoptionDecision =
  /** Nothing, or nothing before something else has ended. */
  | { readonly type: 'nothing' }
  | { readonly type: 'create' }
  | { readonly type: 'delete' }
  /** It is there: whether it is as it should be must be looked at. `isRetry`: the last change has failed. */
  | { readonly type: 'compare'; readonly isRetry: boolean }
  /** The same again, but not yet. */
  | { readonly type: 'wait'; readonly delayMs: number };

/** The input of {@link decideAdoption}. */
export interface AdoptionFacts {
  readonly row: InstanceRow | BindingRow;
  readonly last: OperationRow | undefined;
  /** How many operations from Kubernetes have failed in a row. */
  readonly failures: number;
  readonly nowMs: number;
  readonly settings: BrokerSettings;
}

const nothing: AdoptionDecision = { type: 'nothing' };

/** Decides what an instance or a binding needs, from its row and its last operation. */
export function decideAdoption(facts: AdoptionFacts): AdoptionDecision {
  const { row, last } = facts;
  if (row.isDeleting) return decideDeletion(facts);
  if (last !== undefined && !isEnded(last)) return nothing;
  if (row.status.ready === undefined && last === undefined) return { type: 'create' };
  if (row.status.ready === true) return { type: 'compare', isRetry: isFailed(last, 'update') };
  if (last === undefined || !isFromKubernetes(last) || !isFailed(last, 'create')) return nothing;
  if (row.generation !== row.status.observedGeneration) return { type: 'create' };
  return last.status.retryable === true ? notYet(facts, { type: 'create' }) : nothing;
}

function decideDeletion(facts: AdoptionFacts): AdoptionDecision {
  const { last } = facts;
  if (last?.spec.type !== 'delete') return { type: 'delete' };
  if (!isEnded(last)) return nothing;
  return notYet(facts, { type: 'delete' });
}

/** After failures in a row ever longer, ten minutes at most, counted from the last one. */
export function notYet(
  { last, failures, nowMs, settings }: AdoptionFacts,
  decision: AdoptionDecision,
): AdoptionDecision {
  const pauseMs = Math.min(settings.mitigationIntervalMs * 2 ** Math.min(Math.max(0, failures - 1), 20), 600_000);
  const delayMs = Date.parse(last?.updatedAt ?? '') + pauseMs - nowMs;
  return delayMs > 0 ? { type: 'wait', delayMs } : decision;
}

/** How many operations from Kubernetes of one resource have failed since the last that has not. */
export function failuresInARow(operations: Iterable<OperationRow>): number {
  const newestFirst = [...operations].sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  const good = newestFirst.findIndex(operation => operation.status.state !== 'failed' || !isFromKubernetes(operation));
  return good === -1 ? newestFirst.length : good;
}

const isFailed = (operation: OperationRow | undefined, type: string): boolean =>
  operation?.spec.type === type && operation.status.state === 'failed';

/** What an instance should be, as far as a broker is concerned. */
export interface Desired {
  readonly plan: PlanRow;
  readonly offering: OfferingRow;
  /** Undefined: the spec states none, so they stay. */
  readonly parameters: JsonObject | undefined;
}

/** The difference between the desired instance and the one at the broker. */
interface Difference {
  readonly change: Pick<OperationChange, 'planId' | 'name'>;
  readonly parameters: JsonObject | undefined;
}

/** Compares the desired instance with the last request to the broker; undefined when nothing differs. */
export function differenceOf(row: InstanceRow, { plan, offering, parameters }: Desired): Difference | undefined {
  const { status } = row;
  const notified = status.context?.['instance_name'];
  const hasOtherPlan = status.planId !== undefined && status.planId !== plan.id;
  const hasOtherName =
    offering.spec.allowContextUpdates === true && typeof notified === 'string' && notified !== nameOf(row);
  const areOther = parameters !== undefined && hashParameters(parameters) !== status.request?.parametersHash;
  if (!hasOtherPlan && !hasOtherName && !areOther) return undefined;
  return {
    change: { ...(hasOtherPlan ? { planId: plan.id } : {}), ...(hasOtherName ? { name: nameOf(row) } : {}) },
    parameters: areOther ? parameters : undefined,
  };
}

/** What takes a failed change back: what it has changed is as desired again. */
export function undoingOf(failed: OperationRow | undefined, { plan, parameters }: Desired): Difference {
  const hasMoved = failed?.spec.change?.['planId'] !== undefined;
  return { change: hasMoved ? { planId: plan.id } : {}, parameters };
}
