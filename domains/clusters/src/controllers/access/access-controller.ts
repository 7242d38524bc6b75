import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
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
import type { Granter } from '../../model/access/access-names.ts';
import { isVanishing, mayServe } from '../../model/access/standing.ts';
import { namespacesWanted } from '../../model/access/wanted-rights.ts';
import type { AccessInformers } from './access-informers.ts';
import type { AccessNeeds } from './access-needs.ts';
import { type ControllerParts, related } from './controller-parts.ts';
import { ensureRights } from './ensure-rights.ts';
import { ensureSecret } from './ensure-secret.ts';
import { removeRights, removeSecret } from './remove-access.ts';
import { requestSecrets } from './request-secrets.ts';
import type { AccessSource, SourceListeners } from './source-listeners.ts';
import type { Targets } from './targets.ts';
import { tellingFailures } from './telling-failures.ts';

export interface AccessControllerOptions {
  readonly platform: Client;
  readonly informers: AccessInformers;
  readonly targets: Targets;
  readonly granter: Granter;
  readonly recorder: EventRecorder;
  readonly listeners: SourceListeners;
  readonly sourceOf: (cluster: Cluster) => AccessSource | undefined;
}

/** Makes the controller that gives credentials for the clusters of one provider. */
export function createAccessController(options: AccessControllerOptions, parts: ControllerParts): Controller {
  const { platform, informers, granter } = options;
  const { requests, secrets, clusters, requestsOf } = informers;
  const isMine = (key: string): boolean => {
    const { namespace, name } = parseKey(key);
    const request = requests.get(namespace, name);
    return request !== undefined && mayServe(request, granter.provider);
  };
  return createController<AccessRequest, AccessNeeds>({
    ...parts,
    name: 'access',
    client: platform,
    for: { ref: accessRequests.ref, informer: requests },
    owns: [{ informer: secrets, mapToKeys: secret => controllerKeys(secret, accessRequests) }],
    watches: [related<Cluster>(clusters, requestsOf.cluster)],
    filter: isMine,
    finalizer: clusterNames.accessFinalizer,
    steps: [tellingFailures(ensureRights), tellingFailures(ensureSecret)],
    onDelete: [tellingFailures(removeRights), tellingFailures(removeSecret)],
    needs: accessNeeds(options),
    concurrency: 4,
    // Nothing tells when a cluster answers again.
    backOff: { maxMs: 60_000 },
    // One namespace's clusters that do not answer must not keep the others waiting.
    tenantOf: key => parseKey(key).namespace ?? '',
  });
}

function accessNeeds({
  platform,
  informers,
  targets,
  granter,
  recorder,
  listeners,
  sourceOf,
}: AccessControllerOptions): AccessNeeds {
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
      // Nobody would ever release it for a request that went meanwhile.
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
    `nobody here serves the cluster "${clusterRef?.namespace}/${clusterRef?.name}"`,
    {
      hint: 'Look at the profile of the cluster.',
    },
  );
