import { apiError, ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import {
  type Controller,
  controllerKeys,
  createController,
  type EventRecorder,
  keyOf,
  parseKey,
} from '@chandlery/runtime';
import { type AccessRequest, accessRequests, type Cluster } from '../../kinds/index.ts';
import { clusterNames } from '../../kinds/names.ts';
import { type Granter, kubeconfigSecretName } from '../../model/access/access-names.ts';
import { isVanishing, mayServe } from '../../model/access/standing.ts';
import { namespacesWanted } from '../../model/access/wanted-rights.ts';
import { related, type SharedControllerOptions } from './access-controller-options.ts';
import type { AccessDeps, RequestSecrets } from './access-deps.ts';
import type { AccessInformers } from './access-informers.ts';
import { ensureRights } from './ensure-rights.ts';
import { ensureSecret } from './ensure-secret.ts';
import { removeRights, removeSecret } from './remove-access.ts';
import type { AccessSource, SourceListeners } from './source-listeners.ts';
import type { Targets } from './targets.ts';
import { withFailureCondition } from './with-failure-condition.ts';

export interface AccessControllerOptions {
  readonly platform: Client;
  readonly informers: AccessInformers;
  readonly targets: Targets;
  readonly granter: Granter;
  readonly recorder: EventRecorder;
  readonly listeners: SourceListeners;
  readonly sourceOf: (cluster: Cluster) => AccessSource | undefined;
}

/** Creates the controller that issues credentials for the clusters of one provider. */
export function createAccessController(options: AccessControllerOptions, parts: SharedControllerOptions): Controller {
  const { platform, informers, granter } = options;
  const { requests, secrets, clusters, requestsOf } = informers;
  const isMine = (key: string): boolean => {
    const { namespace, name } = parseKey(key);
    const request = requests.get(namespace, name);
    return request !== undefined && mayServe(request, granter.provider);
  };
  return createController<AccessRequest, AccessDeps>({
    ...parts,
    name: 'access',
    client: platform,
    for: { ref: accessRequests.ref, informer: requests },
    owns: [{ informer: secrets, mapToKeys: secret => controllerKeys(secret, accessRequests) }],
    watches: [related<Cluster>(clusters, requestsOf.cluster)],
    filter: isMine,
    finalizer: clusterNames.accessFinalizer,
    steps: [withFailureCondition(ensureRights), withFailureCondition(ensureSecret)],
    onDelete: [withFailureCondition(removeRights), withFailureCondition(removeSecret)],
    needs: createAccessDeps(options),
    concurrency: 4,
    // Nothing reports when a cluster is reachable again.
    backOff: { maxMs: 60_000 },
    // Unreachable clusters of one namespace must not delay the others.
    tenantOf: key => parseKey(key).namespace ?? '',
  });
}

function createAccessDeps({
  platform,
  informers,
  targets,
  granter,
  recorder,
  listeners,
  sourceOf,
}: AccessControllerOptions): AccessDeps {
  const findCluster = ({ spec: { clusterRef } }: AccessRequest): Cluster | undefined =>
    clusterRef && informers.clusters.get(clusterRef.namespace, clusterRef.name);
  const find = (request: AccessRequest): { readonly cluster: Cluster; readonly source: AccessSource } => {
    const cluster = findCluster(request);
    const source = cluster && sourceOf(cluster);
    if (cluster === undefined || source === undefined) throw unknownCluster(request);
    listeners.add(source);
    return { cluster, source };
  };
  return {
    granter,
    cluster: findCluster,
    connect: async request => {
      const { cluster, source } = find(request);
      const client = await source.connect(cluster);
      const { name = '', namespace } = request.metadata;
      const user = { key: keyOf(request), namespaces: namespacesWanted(request) };
      // A request that was deleted meanwhile would never release it.
      if (informers.requests.get(namespace, name) !== undefined) targets.use(keyOf(cluster), client, user);
      return client;
    },
    connectTo: async ({ namespace, name }) => {
      const cluster = informers.clusters.get(namespace, name);
      if (cluster === undefined || isVanishing(cluster)) return undefined;
      const source = sourceOf(cluster);
      return source && (await source.connect(cluster));
    },
    address: request => {
      const { cluster, source } = find(request);
      return source.address(cluster);
    },
    secrets: requestSecrets(platform),
    record: (request, event) => recorder.record(request, event),
  };
}

const unknownCluster = ({ spec: { clusterRef } }: AccessRequest): ChandleryError =>
  new ChandleryError(
    'ClusterNotReady',
    `no source here serves the cluster "${clusterRef?.namespace}/${clusterRef?.name}"`,
    {
      hint: 'Look at the profile of the cluster.',
    },
  );

const secretsRef = { group: '', version: 'v1', plural: 'secrets' };
const fieldManager = 'chandlery-access';

/** Reads and writes the Secrets of requests live: a cache would lag behind our own writes. */
const requestSecrets = (platform: Client): RequestSecrets => ({
  read: async ({ metadata: { name = '', namespace } }, signal) => {
    try {
      return await platform.get({ ...secretsRef, name: kubeconfigSecretName(name), namespace }, { signal });
    } catch (error) {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    }
  },
  write: async (secret, before, signal) => {
    const ref = refTo(secret);
    if (before !== undefined) {
      await platform.update(ref, secret, { fieldManager, signal });
      return;
    }
    await platform.create(ref, secret, { fieldManager, signal }).catch((error: unknown) => {
      // Created meanwhile: retried as a conflict.
      throw isError(error, 'AlreadyExists') ? apiError('Conflict', error.message) : error;
    });
  },
  delete: async (secret, signal) => {
    const { uid } = secret.metadata;
    await platform.delete(refTo(secret), { preconditions: { uid }, signal }).catch((error: unknown) => {
      if (!isError(error, 'NotFound')) throw error;
    });
  },
});

function refTo({ metadata: { name = '', namespace } }: KubeObject): ObjectRef {
  return { ...secretsRef, name, namespace };
}
