import { hash8 } from '@chandlery/clusters/kinds';
import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import {
  formerObjectOf,
  type RetainedRequest,
  type RetainedService,
  retainedNames,
  sharedHolderOf,
} from '../../kinds/index.ts';
import type { HeldRequest } from '../../model/retained-services/held-requests.ts';
import { endObjects } from './end-objects.ts';
import { findHeld } from './find-held.ts';
import type { RetainedDeps } from './retained-deps.ts';

/** How often to check deletions on a workload cluster, which is not watched. */
const checkMs = 2000;

/** Ends the service: deletes its objects on workload clusters, then its access, then its clusters. */
export async function endService(
  retained: RetainedService,
  deps: RetainedDeps,
  context: StepContext,
): Promise<StepResult> {
  const { namespace = '' } = retained.metadata;
  const { provider, service, requests = [] } = retained.spec;
  const instance = hash8(namespace, service.name);
  const order = `${namespace}/${service.name}`;
  return endAll(retained, deps, context, { requests, holder: context.key, provider, order, instance });
}

/** Deletes what all retained services of a provider share, with the last of them. */
export async function endShared(
  retained: RetainedService,
  deps: RetainedDeps,
  context: StepContext,
): Promise<StepResult> {
  const { provider, sharedRequests: requests = [] } = retained.spec;
  if (requests.length === 0 || (await deps.othersOf(retained)) > 0) return 'continue';
  const holder = sharedHolderOf(provider);
  const { held } = await findHeld(requests, holder, deps);
  // A provider that still exists manages it itself.
  if (held.length === 0) return 'continue';
  return endAll(retained, deps, context, { requests, holder, provider, order: holder, instance: hash8(holder) });
}

interface End {
  readonly requests: readonly RetainedRequest[];
  readonly holder: string;
  readonly provider: string;
  readonly order: string;
  readonly instance: string;
}

async function endAll(
  retained: RetainedService,
  deps: RetainedDeps,
  { now }: StepContext,
  { requests, holder, provider, order, instance }: End,
): Promise<StepResult> {
  const { held, pending } = await findHeld(requests, holder, deps);
  if (pending.length > 0) return wait(retained, `The order still holds ${pending.toSorted().join(', ')}.`, now);
  const formerObject = formerObjectOf(provider, order);
  const userAnnotation = `${retainedNames.userAnnotationPrefix}${instance}`;
  const left: string[] = [];
  for (const request of held) left.push(...(await endObjects(request, { formerObject, userAnnotation }, deps)));
  if (left.length > 0) {
    wait(retained, `Waiting on the workload cluster for the end of ${left.join(', ')}.`, now);
    return { retryAfterMs: checkMs };
  }
  const access = held.filter(({ kind }) => kind === 'AccessRequest');
  return giveBack(retained, access.length > 0 ? access : held, deps, now);
}

/**
 * Deletes AccessRequests first, because their removal deletes accounts on the cluster. Deletions of requests enqueue
 * the object.
 */
async function giveBack(
  retained: RetainedService,
  requests: readonly HeldRequest[],
  deps: RetainedDeps,
  now: Date,
): Promise<StepResult> {
  for (const request of requests) await deps.deleteRequest(request);
  if (requests.length === 0) return 'continue';
  const names = requests.map(({ kind, object }) => `${kind} ${object.metadata.namespace}/${object.metadata.name}`);
  wait(retained, `Waiting for the end of ${names.sort().join(', ')}.`, now);
  return { retryAfterMs: checkMs };
}

function wait(retained: RetainedService, message: string, now: Date): StepResult {
  retained.status = { ...retained.status, phase: 'Terminating' };
  setCondition(retained, { type: 'Ready', status: 'False', reason: 'Ending', message }, now);
  return 'stop';
}
