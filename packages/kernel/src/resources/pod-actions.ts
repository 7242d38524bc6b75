import {
  apiError,
  badRequest,
  conflict,
  fieldCause,
  fromLabelSelectorObject,
  invalid,
  type KubeObject,
  type LabelSelectorObject,
  matchesLabels,
  notFound,
  validateDnsSubdomain,
} from '@chandlery/api';
import type { Pod, PodCondition } from '../behaviours/workloads/objects.ts';
import { commitWrites, lostRace, putOf } from './commit.ts';
import { type DeleteOptions, type DeleteResult, deleteObject } from './delete.ts';
import { reportWrite } from './internal-write.ts';
import { mutateObject } from './mutate.ts';
import { contextOf } from './prepare.ts';
import { getObject, listObjects } from './read.ts';
import { keyOfTarget, type ResourceNeeds, type Target, type WriteOptions } from './request.ts';
import { type Served, serveObject, serveStored } from './served.ts';

/** The body of `POST pods/<name>/binding`. */
export interface Binding extends KubeObject {
  target?: { kind?: string; name?: string };
}

/** The body of `POST pods/<name>/eviction`. */
export interface Eviction extends KubeObject {
  deleteOptions?: DeleteOptions & { readonly dryRun?: readonly string[] };
}

const maxAttempts = 20;

/** Puts a pod on a node: the only way in which `spec.nodeName` changes. A pod that has a node keeps it (409). */
export async function bindPod(
  needs: ResourceNeeds,
  target: Target,
  write: WriteOptions,
  binding: Binding,
): Promise<Served> {
  checkName(target, binding);
  const nodeName = nodeOf(binding);
  const { kind } = target.resource;
  const key = keyOfTarget(target);
  const { now } = contextOf(needs, target, write);
  for (let attempt = 1; ; attempt++) {
    const stored = await needs.store.get(key);
    if (stored === undefined) throw notFound(kind.groupResource, target.name);
    const pod = serveStored(target.resource, needs.codec, stored).object as Pod;
    checkBindable(pod, binding);
    placePod(pod, nodeName, binding, now);
    if (write.dryRun) return serveObject(pod, stored.revision);
    try {
      const put = putOf(needs, kind, key, pod, { type: 'revision', revision: stored.revision });
      const revision = await commitWrites(needs, { writes: [put] });
      reportWrite(needs, target, write, 'update');
      return serveObject(pod, revision);
    } catch (error) {
      if (!lostRace(error, key)) throw error;
      if (attempt >= maxAttempts) throw conflict(kind.groupResource, target.name);
    }
  }
}

function checkName({ name }: Target, { kind, metadata }: KubeObject): void {
  const named = metadata?.name ?? '';
  if (named !== '' && named !== name) throw badRequest(`name in URL does not match name in ${kind} object`);
}

function nodeOf({ kind, metadata, target }: Binding): string {
  const name = target?.name ?? '';
  const causes =
    name === ''
      ? [fieldCause.required('target.name')]
      : validateDnsSubdomain(name).map(error => fieldCause.invalid('target.name', name, error));
  if (!['', 'Node'].includes(target?.kind ?? ''))
    causes.push(fieldCause.notSupported('target.kind', target?.kind, ['Node', '<empty>']));
  if (causes.length > 0) throw invalid({ group: '', kind: kind ?? 'Binding' }, metadata?.name ?? '', causes);
  return name;
}

function checkBindable({ metadata, spec }: Pod, binding: Binding): void {
  const { name = '' } = metadata;
  const refuse = (why: string): Error => conflict({ group: '', resource: 'pods/binding' }, name, why);
  const uid = binding.metadata?.uid ?? '';
  if (uid !== '' && uid !== metadata.uid) {
    throw refuse(`Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`);
  }
  if (metadata.deletionTimestamp !== undefined)
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  const node = spec?.nodeName ?? '';
  if (node !== '') throw refuse(`pod ${name} is already assigned to node "${node}"`);
  if ((spec?.schedulingGates ?? []).length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
}

/** Node, annotations of the binding and the condition are one write: nobody sees a pod that is half bound. */
function placePod(pod: Pod, nodeName: string, { metadata }: Binding, now: string): void {
  pod.spec = { ...pod.spec, nodeName };
  const annotations = Object.entries(metadata?.annotations ?? {});
  if (annotations.length > 0)
    pod.metadata.annotations = { ...pod.metadata.annotations, ...Object.fromEntries(annotations) };
  const scheduled: PodCondition = { type: 'PodScheduled', status: 'True', lastTransitionTime: now };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== scheduled.type);
  pod.status = { ...pod.status, conditions: [...others, scheduled] };
}

interface Budget extends KubeObject {
  spec?: { selector?: LabelSelectorObject; unhealthyPodEvictionPolicy?: string };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptedPods?: Record<string, string>;
  };
}

/** Deletes a pod if its disruption budget can bear that; answers `TooManyRequests` if not. */
export async function evictPod(
  needs: ResourceNeeds,
  target: Target,
  write: WriteOptions,
  eviction: Eviction,
): Promise<DeleteResult> {
  checkName(target, eviction);
  const { dryRun, ...options } = eviction.deleteOptions ?? {};
  const evicting: WriteOptions = (dryRun ?? []).includes('All') ? { ...write, dryRun: true } : write;
  const pod = (await getObject(needs, target)).object as Pod;
  if (countsForBudgets(pod)) await spendBudget(needs, target, evicting, pod);
  return deleteObject(needs, target, evicting, options);
}

/** Pods that do not run are no loss. */
function countsForBudgets({ metadata, status }: Pod): boolean {
  return (
    metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed', 'Pending'].includes(status?.phase ?? 'Pending')
  );
}

async function spendBudget(needs: ResourceNeeds, target: Target, write: WriteOptions, pod: Pod): Promise<void> {
  const resource = (await needs.registry.of(target.cluster)).resolve('policy', 'v1', 'poddisruptionbudgets');
  if (resource === undefined) return;
  const collection: Target = { cluster: target.cluster, resource, namespace: target.namespace, name: '' };
  const { items } = await listObjects(needs, collection, {});
  const budgets = items.map(({ object }) => object as Budget).filter(budget => isAbout(budget, pod));
  const [budget] = budgets;
  if (budget === undefined) return;
  if (budgets.length > 1) {
    throw apiError(
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  if (!isReady(pod) && mayLoseUnready(budget)) return;
  const { now } = contextOf(needs, target, write);
  await mutateObject(needs, { ...collection, name: budget.metadata.name ?? '' }, write, {
    endpoint: 'status',
    change: live => spent(live, pod.metadata.name ?? '', now),
  });
}

function isAbout({ spec }: Budget, pod: Pod): boolean {
  if (spec?.selector === undefined || spec.selector === null) return false;
  return matchesLabels(fromLabelSelectorObject(spec.selector), pod.metadata.labels);
}

const isReady = ({ status }: Pod): boolean =>
  (status?.conditions ?? []).some(condition => condition.type === 'Ready' && condition.status === 'True');

/** Pods that serve nobody may go when the budget says so, or when enough others serve. */
function mayLoseUnready({ spec, status }: Budget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** The budget with one disruption less; throws when it has none left. */
function spent(budget: Budget, pod: string, now: string): Budget {
  const { status, metadata } = budget;
  const { name = '', generation = 0 } = metadata;
  if (status === undefined || (status.observedGeneration ?? generation) < generation) {
    throw budgetError(`The disruption budget ${name} is still being processed by the server.`);
  }
  const { disruptionsAllowed = 0, desiredHealthy = 0, currentHealthy = 0, disruptedPods } = status;
  if (disruptionsAllowed <= 0) {
    throw budgetError(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
  }
  return {
    ...budget,
    status: { ...status, disruptionsAllowed: disruptionsAllowed - 1, disruptedPods: { ...disruptedPods, [pod]: now } },
  };
}

const budgetError = (message: string): Error =>
  apiError('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    retryAfterSeconds: 10,
    causes: [{ reason: 'DisruptionBudget', message }],
  });
