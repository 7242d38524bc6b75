import { type KubeObject } from '@chandlery/api';
import { type Client, createClient, loadKubeconfig, type ResourceRef } from '@chandlery/client';
import {
  type AccessRequest,
  accessRequests,
  type ClusterRequest,
  clusterRequests,
  clusters,
} from '@chandlery/clusters/kinds';
import type { Logger } from '@chandlery/platform';
import {
  type Controller,
  type ControllerMetrics,
  createController,
  ignoreNotFound,
  type SharedInformers,
  type WatchSource,
} from '@chandlery/runtime';
import { accessIncomplete } from '../../errors.ts';
import { type RetainedService, retainedBy, retainedNames, retainedServices } from '../../kinds/index.ts';
import type { HeldRequest } from '../../model/retained-services/held-requests.ts';
import { refs } from '../../model/tenants/refs.ts';
import type { ConnectCluster } from '../../ports.ts';
import { endService, endShared } from './end-retained.ts';
import { reportRetained } from './report-retained.ts';
import type { RetainedDeps } from './retained-deps.ts';

export interface RetainedServicesOptions {
  readonly platform: Client;
  readonly onboarding: Client;
  readonly informers: SharedInformers;
  /** How kubeconfigs become clients. Default: over the network. */
  readonly connect?: ConnectCluster;
  readonly logger: Logger;
  readonly metrics?: ControllerMetrics;
}

/** Starts the controller of retained services; the caller stops it. */
export function startRetainedServices(options: RetainedServicesOptions): Controller {
  const { platform, onboarding, informers, logger, metrics } = options;
  const informer = informers.informer<RetainedService>({ client: onboarding, ref: retainedServices.ref });
  const controller = createController<RetainedService, RetainedDeps>({
    name: retainedServices.plural,
    client: onboarding,
    for: { ref: retainedServices.ref, informer },
    watches: [accessRequests.ref, clusterRequests.ref].map(ref => handedOver(informers, platform, ref)),
    finalizer: retainedNames.finalizer,
    steps: [reportRetained],
    onDelete: [endService, endShared],
    concurrency: 4,
    needs: {
      ...requestDeps(options),
      othersOf: async ({ spec, metadata: { uid = '' } }) => {
        const labelSelector = retainedBy(spec.provider);
        const { items } = await onboarding.list<RetainedService>(retainedServices.ref, { labelSelector });
        return items.filter(other => isStillThere(other, uid)).length;
      },
    },
    logger,
    ...(metrics === undefined ? {} : { metrics }),
  });
  controller.start();
  return controller;
}

/** Of several that end at the same time, the one with the smallest uid deletes what they share. */
const isStillThere = ({ metadata: { uid = '', deletionTimestamp } }: RetainedService, self: string): boolean =>
  uid !== self && (deletionTimestamp === undefined || uid < self);

/** Requests that were handed over, mapped to their holder. */
const handedOver = (informers: SharedInformers, client: Client, ref: ResourceRef): WatchSource => ({
  informer: informers.informer({ client, ref, labelSelector: `${retainedNames.handedOverLabel}=true` }),
  mapToKeys: ({ metadata }) => {
    const holder = metadata.annotations?.[retainedNames.retainedByAnnotation];
    return holder === undefined || holder.startsWith('~') ? [] : [holder];
  },
});

const kinds = { AccessRequest: accessRequests.ref, ClusterRequest: clusterRequests.ref } as const;

function requestDeps({ platform, connect }: RetainedServicesOptions): Omit<RetainedDeps, 'othersOf'> {
  return {
    findRequest: async ({ kind, namespace, name }) => {
      const object = await platform.get({ ...kinds[kind], namespace, name }).catch(ignoreNotFound);
      return object && ({ kind, object } as HeldRequest);
    },
    deleteRequest: async ({ kind, object: { metadata } }) => {
      const { namespace, name = '', uid, deletionTimestamp } = metadata;
      if (deletionTimestamp !== undefined) return;
      await platform.delete({ ...kinds[kind], namespace, name }, { preconditions: { uid } }).catch(ignoreNotFound);
    },
    open: request => open(platform, request, connect ?? (text => createClient(loadKubeconfig(text)))),
  };
}

async function open(
  platform: Client,
  { kind, object }: HeldRequest,
  connect: ConnectCluster,
): Promise<Client | undefined> {
  if (kind !== 'AccessRequest' || (await isClusterGone(platform, object))) return undefined;
  const { namespace, name = '' } = object.metadata;
  const secretName = object.status?.secretRef?.name;
  if (secretName === undefined) throw accessIncomplete(`${namespace}/${name}`);
  const secret = await platform.get<KubeObject & { data?: Record<string, string> }>({
    ...refs.secrets,
    namespace,
    name: secretName,
  });
  return connect(Buffer.from(secret.data?.['kubeconfig'] ?? '', 'base64').toString());
}

/** Everything on a deleted cluster is deleted with it. */
async function isClusterGone(platform: Client, { spec }: AccessRequest): Promise<boolean> {
  const { clusterRef, requestRef } = spec;
  const request =
    requestRef && (await platform.get<ClusterRequest>({ ...clusterRequests.ref, ...requestRef }).catch(ignoreNotFound));
  const place = clusterRef ?? request?.status?.cluster;
  const cluster = place && (await platform.get({ ...clusters.ref, ...place }).catch(ignoreNotFound));
  return cluster === undefined || cluster.metadata.deletionTimestamp !== undefined;
}
