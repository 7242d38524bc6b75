import { badRequest, isError, type KubeObject, notFound } from '@chandlery/api';
import type { ResourceCall } from '../call.ts';
import { booleanOf, integerOf, writeOptions } from '../call.ts';
import { sendJson } from '../respond.ts';
import { bodyOf } from './request-body.ts';

/** Reads the logs of containers. Implemented by the runner of pods. */
export interface PodLogs {
  read(request: PodLogRequest): Promise<AsyncIterable<Uint8Array>>;
  /** Reads stored logs of a deleted pod; undefined when none are stored. Default: no logs are stored. */
  readStored?(request: StoredLogRequest): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** A request for the log of a deleted pod. */
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
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** POST on a sub-resource: serviceaccounts/x/token, pods/x/binding, pods/x/eviction. */
export async function postSubresource(call: ResourceCall): Promise<void> {
  const { value } = await bodyOf(call);
  sendJson(call, 201, await call.calls.createSubresource(call, writeOptions(call), value));
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

/** Undefined for a pod that does not exist. */
async function findPod({ calls, target }: ResourceCall): Promise<KubeObject | undefined> {
  try {
    return (await calls.get(target)).object;
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Sends the stored log of a deleted pod. Rejects with `NotFound` when none is stored. */
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
