import { apiError, isError, type KubeObject } from '@chandlery/api';
import type { Pod } from '../behaviours/workloads/objects.ts';
import { checkName } from './bind-pod.ts';
import { hasNodes } from './cluster-nodes.ts';
import { type DeleteOptions, type DeleteResult, deleteObject } from './delete.ts';
import { type Budget, countsForBudgets, isAbout, isCounted, mayLoseUnready, spend } from './disruption-budget.ts';
import { mutateObject } from './mutate.ts';
import { contextOf } from './prepare.ts';
import { getObject, listObjects } from './read.ts';
import type { ResourceDeps, Target, WriteOptions } from './request.ts';

/** The body of `POST pods/<name>/eviction`. */
export interface Eviction extends KubeObject {
  deleteOptions?: DeleteOptions & { readonly dryRun?: readonly string[] };
}

const maxAttempts = 20;

/** Deletes a pod if its disruption budget can bear that; throws `TooManyRequests` if not. */
export async function evictPod(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  eviction: Eviction,
): Promise<DeleteResult> {
  checkName(target, eviction);
  const { dryRun, ...options } = eviction.deleteOptions ?? {};
  const evicting: WriteOptions = (dryRun ?? []).includes('All') ? { ...write, dryRun: true } : write;
  for (let attempt = 1; ; attempt++) {
    const pod = (await getObject(deps, target)).object as Pod;
    const isUncounted = await dispense(deps, target, evicting, pod);
    const isBound = isUncounted && options.preconditions?.resourceVersion === undefined;
    try {
      return await deleteObject(deps, target, evicting, isBound ? boundTo(pod, options) : options);
    } catch (error) {
      // It may have become ready meanwhile, and then it counts.
      if (!isBound || !isError(error, 'Conflict') || attempt >= maxAttempts) throw error;
    }
  }
}

function boundTo({ metadata }: Pod, options: DeleteOptions): DeleteOptions {
  const { resourceVersion } = metadata;
  const bound = resourceVersion === undefined ? {} : { resourceVersion };
  return { ...options, preconditions: { ...options.preconditions, ...bound } };
}

/** Takes an eviction from the pod's budget. True when it costs nothing only because the pod is not ready, as it was read. */
async function dispense(deps: ResourceDeps, target: Target, write: WriteOptions, pod: Pod): Promise<boolean> {
  if (!countsForBudgets(pod)) return pod.metadata.deletionTimestamp === undefined && pod.status?.phase === 'Pending';
  const found = await findBudget(deps, target, pod);
  if (found === undefined) return false;
  const { budget, at } = found;
  if (mayLoseUnready(budget, pod)) return true;
  // A cluster without nodes has no disruption controller: the eviction would wait for ever.
  if (!isCounted(budget) && !(await hasNodes(deps, target.cluster))) return false;
  const { now } = contextOf(deps, target, write);
  await mutateObject(deps, at, write, {
    endpoint: 'status',
    change: live => withoutVersion(spend(live, pod.metadata.name ?? '', now)),
  });
  return false;
}

/** A lost race reads the budget again: no version is required. */
function withoutVersion(budget: Budget): Budget {
  const { resourceVersion: _, ...metadata } = budget.metadata;
  return { ...budget, metadata };
}

/** The budget that a pod counts for, and where it is. */
async function findBudget(
  deps: ResourceDeps,
  { cluster, namespace }: Target,
  pod: Pod,
): Promise<{ readonly budget: Budget; readonly at: Target } | undefined> {
  const resource = (await deps.registry.of(cluster)).resolve('policy', 'v1', 'poddisruptionbudgets');
  if (resource === undefined) return undefined;
  const collection: Target = { cluster, resource, namespace, name: '' };
  const { items } = await listObjects(deps, collection, {});
  const [budget, ...others] = items.map(({ object }) => object as Budget).filter(each => isAbout(each, pod));
  if (budget === undefined) return undefined;
  if (others.length === 0) return { budget, at: { ...collection, name: budget.metadata.name ?? '' } };
  throw apiError(
    'InternalError',
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  );
}
