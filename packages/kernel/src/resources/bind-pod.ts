import {
  badRequest,
  conflict,
  fieldCause,
  invalid,
  type KubeObject,
  notFound,
  validateDnsSubdomain,
} from '@chandlery/api';
import type { Pod, PodCondition } from '../behaviours/workloads/objects.ts';
import { commitWrites, lostRace, putOf } from './commit.ts';
import { reportWrite } from './internal-write.ts';
import { contextOf } from './prepare.ts';
import { keyOfTarget, type ResourceDeps, type Target, type WriteOptions } from './request.ts';
import { type Served, serveObject, serveStored } from './served.ts';

/** The body of `POST pods/<name>/binding`. */
export interface Binding extends KubeObject {
  target?: { kind?: string; name?: string };
}

const maxAttempts = 20;

/** Puts a pod on a node: the only way in which `spec.nodeName` changes. A pod that has a node keeps it (409). */
export async function bindPod(
  deps: ResourceDeps,
  target: Target,
  write: WriteOptions,
  binding: Binding,
): Promise<Served> {
  checkName(target, binding);
  const nodeName = nodeOf(binding);
  const { kind } = target.resource;
  const key = keyOfTarget(target);
  const { now } = contextOf(deps, target, write);
  for (let attempt = 1; ; attempt++) {
    const stored = await deps.store.get(key);
    if (stored === undefined) throw notFound(kind.groupResource, target.name);
    const pod = serveStored(target.resource, deps.codec, stored).object as Pod;
    checkBindable(pod, binding);
    placePod(pod, nodeName, binding, now);
    if (write.dryRun) return serveObject(pod, stored.revision);
    try {
      const put = putOf(deps, kind, key, pod, { type: 'revision', revision: stored.revision });
      const revision = await commitWrites(deps, { writes: [put] });
      reportWrite(deps, target, write, 'update');
      return serveObject(pod, revision);
    } catch (error) {
      if (!lostRace(error, key)) throw error;
      if (attempt >= maxAttempts) throw conflict(kind.groupResource, target.name);
    }
  }
}

/** Throws `BadRequest` when a body names another object than the URL. */
export function checkName({ name }: Target, { kind, metadata }: KubeObject): void {
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

/** Node, annotations of the binding and the condition are one write, so no reader sees a pod that is half bound. */
function placePod(pod: Pod, nodeName: string, { metadata }: Binding, now: string): void {
  pod.spec = { ...pod.spec, nodeName };
  const annotations = Object.entries(metadata?.annotations ?? {});
  if (annotations.length > 0)
    pod.metadata.annotations = { ...pod.metadata.annotations, ...Object.fromEntries(annotations) };
  const scheduled: PodCondition = { type: 'PodScheduled', status: 'True', lastTransitionTime: now };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== scheduled.type);
  pod.status = { ...pod.status, conditions: [...others, scheduled] };
}
