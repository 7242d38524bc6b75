import { badRequest, isError, type KubeObject, notFound } from '@chandlery/api';
import { asKubeObject, bindPod, evictPod, getObject, requestToken } from '@chandlery/kernel';
import type { ResourceCall } from '../call.ts';
import { booleanOf, integerOf, writeOptions } from '../call.ts';
import { sendJson } from '../respond.ts';
import { bodyOf } from './request-body.ts';

/** Reads what containers print. Given by whoever runs pods. */
export interface PodLogs {
  read(request: PodLogRequest): Promise<AsyncIterable<Uint8Array>>;
  /** Reads what containers of a pod printed that is gone; undefined when nothing is stored. Default: nothing is. */
  readStored?(request: StoredLogRequest): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** A log of a pod that is gone. */
export interface StoredLogRequest {
  readonly cluster: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly timestamps: boolean;
  readonly tailLines?: number;
}

export interface PodLogRequest {
  readonly cluster: string;
  readonly pod: KubeObject;
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceSeconds?: number;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** POST serviceaccounts/x/token. */
export async function postToken(call: ResourceCall): Promise<void> {
  const type = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
  sendJson(
    call,
    201,
    await requestToken(call.kernel.needs, call.target, asKubeObject((await bodyOf(call)).value, type)),
  );
}

/** POST pods/x/binding and pods/x/eviction. */
export async function postToPod(call: ResourceCall): Promise<void> {
  const { kernel, target, subresource } = call;
  const isBinding = subresource === 'binding';
  const type = isBinding ? { apiVersion: 'v1', kind: 'Binding' } : { apiVersion: 'policy/v1', kind: 'Eviction' };
  const body = asKubeObject((await bodyOf(call)).value, type);
  const act = isBinding ? bindPod : evictPod;
  await act(kernel.needs, target, writeOptions(call), body);
  sendJson(call, 201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}

interface PodParts {
  spec?: { nodeName?: string; containers?: { name: string }[]; initContainers?: { name: string }[] };
}

/** GET pods/x/log. */
export async function streamLog(call: ResourceCall, logs: PodLogs | undefined): Promise<void> {
  const { target, query, reply, home } = call;
  const pod = (await findPod(call)) ?? (await sendStoredLog(call, logs));
  if (pod === undefined) return;
  const container = containerOf(pod, query.get('container') ?? '');
  if (logs === undefined || ((pod as PodParts).spec?.nodeName ?? '') === '') {
    throw badRequest(`pod ${target.name} does not have a host assigned: no node of this logical cluster runs it`);
  }
  const leaving = new AbortController();
  reply.raw.once('close', () => leaving.abort());
  const tailLines = integerOf(query, 'tailLines');
  const limitBytes = integerOf(query, 'limitBytes');
  const sinceSeconds = integerOf(query, 'sinceSeconds');
  const lines = await logs.read({
    cluster: home,
    pod,
    container,
    follow: booleanOf(query, 'follow') ?? false,
    previous: booleanOf(query, 'previous') ?? false,
    timestamps: booleanOf(query, 'timestamps') ?? false,
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
    signal: leaving.signal,
  });
  const { Readable } = await import('node:stream');
  reply.header('content-type', 'text/plain').send(Readable.from(lines));
}

/** Undefined for a pod that is gone. */
async function findPod({ kernel, target }: ResourceCall): Promise<KubeObject | undefined> {
  try {
    return (await getObject(kernel.needs, target)).object;
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Sends what a pod that is gone has printed. Rejects with `NotFound` when nothing is stored of it. */
async function sendStoredLog(
  { target, query, reply, home }: ResourceCall,
  logs: PodLogs | undefined,
): Promise<undefined> {
  const tailLines = integerOf(query, 'tailLines');
  const lines = await logs?.readStored?.({
    cluster: home,
    namespace: target.namespace,
    pod: target.name,
    container: query.get('container') || 'main',
    timestamps: booleanOf(query, 'timestamps') ?? false,
    ...(tailLines === undefined ? {} : { tailLines }),
  });
  if (lines === undefined) throw notFound(target.resource.kind.groupResource, target.name);
  const { Readable } = await import('node:stream');
  reply.header('content-type', 'text/plain').send(Readable.from(lines));
}

function containerOf(pod: KubeObject, wanted: string): string {
  const { containers = [], initContainers = [] } = (pod as PodParts).spec ?? {};
  const names = [...initContainers, ...containers].map(({ name }) => name);
  if (wanted !== '') {
    if (!names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${pod.metadata.name}`);
    return wanted;
  }
  if (containers.length === 1 && containers[0] !== undefined) return containers[0].name;
  throw badRequest(
    `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(' ')}]`,
  );
}
