import { apiError, badRequest, type KubeObject, notFound } from '@chandlery/api';
import { asKubeObject, bindPod, evictPod, getObject } from '@chandlery/kernel';
import type { ResourceCall } from '../call.ts';
import { booleanOf, integerOf, writeOptions } from '../call.ts';
import { sendJson } from '../respond.ts';
import { bodyOf } from './request-body.ts';

/** Issues tokens of service accounts. */
export interface TokenIssuer {
  issue(request: {
    readonly cluster: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly audiences: readonly string[];
    readonly expirationSeconds: number | undefined;
    readonly boundObject?: { readonly kind: 'Pod' | 'Secret'; readonly name: string; readonly uid: string };
    readonly now: Date;
  }): Promise<{ readonly token: string; readonly expirationTimestamp: string }>;
}

/** Reads what containers print. Given by whoever runs pods. */
export interface PodLogs {
  read(request: PodLogRequest): Promise<AsyncIterable<Uint8Array>>;
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
export async function requestToken(call: ResourceCall, issuer: TokenIssuer): Promise<void> {
  const { kernel, target, cluster, now } = call;
  const account = (await getObject(kernel.needs, target)).object;
  const review = asKubeObject(bodyOf(call).value, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' });
  const spec = (review['spec'] ?? {}) as {
    audiences?: unknown;
    expirationSeconds?: unknown;
    boundObjectRef?: { kind?: string; name?: string; uid?: string } | null;
  };
  const { audiences = [], expirationSeconds } = spec;
  if (!Array.isArray(audiences) || audiences.some(audience => typeof audience !== 'string'))
    throw badRequest('spec.audiences must be a list of strings');
  if (expirationSeconds !== undefined && expirationSeconds !== null && !Number.isSafeInteger(expirationSeconds)) {
    throw badRequest('spec.expirationSeconds must be an integer');
  }
  const bound = await boundObjectOf(call, spec.boundObjectRef ?? undefined);
  const status = await issuer.issue({
    cluster,
    namespace: target.namespace,
    name: target.name,
    uid: account.metadata.uid ?? '',
    audiences: audiences as string[],
    expirationSeconds: typeof expirationSeconds === 'number' ? expirationSeconds : undefined,
    ...(bound === undefined ? {} : { boundObject: bound }),
    now,
  });
  sendJson(call, 201, {
    ...review,
    metadata: { ...review.metadata, name: target.name, namespace: target.namespace },
    status,
  });
}

const bindableKinds = new Map([
  ['pods', 'Pod'],
  ['secrets', 'Secret'],
] as const);

async function boundObjectOf(
  { kernel, target, cluster }: ResourceCall,
  ref: { kind?: string; name?: string; uid?: string } | undefined,
): Promise<{ kind: 'Pod' | 'Secret'; name: string; uid: string } | undefined> {
  if (ref === undefined) return undefined;
  const { name = '' } = ref;
  const [plural, kind] = [...bindableKinds].find(([, bindable]) => bindable === ref.kind) ?? [];
  if (plural === undefined || kind === undefined) {
    throw badRequest(`cannot bind a token to an object of kind "${ref.kind}"; only to a Pod or Secret`);
  }
  const bound = await kernel.target(cluster, { group: '', version: 'v1', plural, namespace: target.namespace, name });
  if (bound === undefined) throw notFound({ group: '', resource: plural }, name);
  const uid = (await getObject(kernel.needs, bound)).object.metadata.uid ?? '';
  if (ref.uid !== undefined && ref.uid !== '' && ref.uid !== uid)
    throw apiError('Conflict', `the ${kind} "${name}" has another uid than the reference`);
  return { kind, name, uid };
}

/** POST pods/x/binding and pods/x/eviction. */
export async function postToPod(call: ResourceCall): Promise<void> {
  const { kernel, target, subresource } = call;
  const isBinding = subresource === 'binding';
  const type = isBinding ? { apiVersion: 'v1', kind: 'Binding' } : { apiVersion: 'policy/v1', kind: 'Eviction' };
  const body = asKubeObject(bodyOf(call).value, type);
  const act = isBinding ? bindPod : evictPod;
  await act(kernel.needs, target, writeOptions(call), body);
  sendJson(call, 201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}

interface PodParts {
  spec?: { nodeName?: string; containers?: { name: string }[]; initContainers?: { name: string }[] };
}

/** GET pods/x/log. */
export async function streamLog(call: ResourceCall, logs: PodLogs | undefined): Promise<void> {
  const { kernel, target, query, reply, cluster } = call;
  const pod = (await getObject(kernel.needs, target)).object;
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
    cluster,
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
