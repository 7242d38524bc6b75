import { apiError, badRequest, type KubeObject, notFound } from '@chandlery/api';
import { getObject } from './read.ts';
import type { ResourceDeps, Target } from './request.ts';

/** Issues tokens of service accounts. */
export interface TokenIssuer {
  issue(request: {
    readonly cluster: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly audiences: readonly string[];
    readonly expirationSeconds: number | undefined;
    readonly boundObject?: BoundObject;
    readonly now: Date;
  }): Promise<{ readonly token: string; readonly expirationTimestamp: string }>;
}

interface BoundObject {
  readonly kind: 'Pod' | 'Secret';
  readonly name: string;
  readonly uid: string;
}

interface BoundObjectRef {
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

interface TokenRequestSpec {
  readonly audiences: readonly string[];
  readonly expirationSeconds: number | undefined;
  readonly boundObjectRef: BoundObjectRef | undefined;
}

/** Handles a TokenRequest for a service account: returns the request with its status. */
export async function requestToken(deps: ResourceDeps, account: Target, request: KubeObject): Promise<KubeObject> {
  if (deps.tokens === undefined) throw apiError('NotFound', 'no token issuer is configured');
  const { cluster, namespace, name } = account;
  const uid = (await getObject(deps, account)).object.metadata.uid ?? '';
  const { boundObjectRef, ...wanted } = readSpec(request);
  const boundObject = boundObjectRef && (await findBound(deps, account, boundObjectRef));
  const status = await deps.tokens.issue({
    ...wanted,
    cluster,
    namespace,
    name,
    uid,
    ...(boundObject === undefined ? {} : { boundObject }),
    now: deps.clock.now(),
  });
  return { ...request, metadata: { ...request.metadata, name, namespace }, status };
}

function readSpec(request: KubeObject): TokenRequestSpec {
  const spec = (request['spec'] ?? {}) as Record<string, unknown>;
  const { audiences = [], expirationSeconds, boundObjectRef } = spec;
  if (!Array.isArray(audiences) || audiences.some(audience => typeof audience !== 'string')) {
    throw badRequest('spec.audiences must be a list of strings');
  }
  if (expirationSeconds !== undefined && expirationSeconds !== null && !Number.isSafeInteger(expirationSeconds)) {
    throw badRequest('spec.expirationSeconds must be an integer');
  }
  return {
    audiences: audiences as string[],
    expirationSeconds: typeof expirationSeconds === 'number' ? expirationSeconds : undefined,
    boundObjectRef: boundObjectRef ?? undefined,
  };
}

const bindableKinds = new Map([
  ['Pod', 'pods'],
  ['Secret', 'secrets'],
]);

async function findBound(deps: ResourceDeps, account: Target, ref: BoundObjectRef): Promise<BoundObject> {
  const { kind = '', name = '' } = ref;
  const plural = bindableKinds.get(kind);
  if (plural === undefined) {
    throw badRequest(`cannot bind a token to an object of kind "${kind}"; only to a Pod or Secret`);
  }
  const resource = (await deps.registry.of(account.cluster)).resolve('', 'v1', plural);
  if (resource === undefined) throw notFound({ group: '', resource: plural }, name);
  const bound = (await getObject(deps, { ...account, resource, name })).object;
  const { uid = '' } = bound.metadata;
  if (ref.uid !== undefined && ref.uid !== '' && ref.uid !== uid)
    throw apiError('Conflict', `the ${kind} "${name}" has another uid than the reference`);
  return { kind: kind as BoundObject['kind'], name, uid };
}
