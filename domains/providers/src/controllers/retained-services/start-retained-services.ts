import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
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
  type RelatedSource,
  type SharedInformers,
} from '@chandlery/runtime';
import { type RetainedService, retainedBy, retainedNames, retainedServices } from '../../kinds/index.ts';
import type { HeldRequest } from '../../model/retained-services/held-requests.ts';
import { refs } from '../../model/tenants/refs.ts';
import { endService, endShared } from './end-retained.ts';
import { reportRetained } from './report-retained.ts';
import type { RetainedNeeds } from './retained-needs.ts';

export interface RetainedServicesOptions {
  readonly platform: Client;
  readonly onboarding: Client;
  readonly informers: SharedInformers;
  /** How kubeconfigs become clients. Default: over the network. */
  readonly connect?: (kubeconfig: string) => Client;
  readonly logger: Logger;
  readonly metrics?: ControllerMetrics;
}

/** Starts the controller of services that were let go; the caller stops it. */
export function startRetainedServices(options: RetainedServicesOptions): Controller {
  const { platform, onboarding, informers, logger, metrics } = options;
  const informer = informers.informer<RetainedService>({ client: onboarding, ref: retainedServices.ref });
  const controller = createController<RetainedService, RetainedNeeds>({
    name: retainedServices.plural,
    client: onboarding,
    for: { ref: retainedServices.ref, informer },
    watches: [accessRequests.ref, clusterRequests.ref].map(ref => handedOver(informers, platform, ref)),
    finalizer: retainedNames.finalizer,
    steps: [reportRetained],
    onDelete: [endService, endShared],
    concurrency: 4,
    needs: {
      ...requestNeeds(options),
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

/** Of several that end at a time one takes along what they share: the one whose uid comes first. */
const isStillThere = ({ metadata: { uid = '', deletionTimestamp } }: RetainedService, self: string): boolean =>
  uid !== self && (deletionTimestamp === undefined || uid < self);

/** Requests that were handed over, and whom they are held by. */
const handedOver = (informers: SharedInformers, client: Client, ref: ResourceRef): RelatedSource => ({
  informer: informers.informer({ client, ref, labelSelector: `${retainedNames.handedOverLabel}=true` }),
  mapToKeys: ({ metadata }) => {
    const holder = metadata.annotations?.[retainedNames.retainedByAnnotation];
    return holder === undefined || holder.startsWith('~') ? [] : [holder];
  },
});

const kinds = { AccessRequest: accessRequests.ref, ClusterRequest: clusterRequests.ref } as const;

function requestNeeds({ platform, connect }: RetainedServicesOptions): Omit<RetainedNeeds, 'othersOf'> {
  return {
    findRequest: async ({ kind, namespace, name }) => {
      const object = await orAbsent(platform.get({ ...kinds[kind], namespace, name }));
      return object && ({ kind, object } as HeldRequest);
    },
    deleteRequest: async ({ kind, object: { metadata } }) => {
      const { namespace, name = '', uid, deletionTimestamp } = metadata;
      if (deletionTimestamp !== undefined) return;
      await orAbsent(platform.delete({ ...kinds[kind], namespace, name }, { preconditions: { uid } }));
    },
    open: request => open(platform, request, connect ?? (text => createClient(loadKubeconfig(text)))),
  };
}

async function open(
  platform: Client,
  { kind, object }: HeldRequest,
  connect: (kubeconfig: string) => Client,
): Promise<Client | undefined> {
  if (kind !== 'AccessRequest' || (await isClusterGone(platform, object))) return undefined;
  const { namespace, name = '' } = object.metadata;
  const secretName = object.status?.secretRef?.name;
  if (secretName === undefined) throw noAccess(`${namespace}/${name}`);
  const secret = await platform.get<KubeObject & { data?: Record<string, string> }>({
    ...refs.secrets,
    namespace,
    name: secretName,
  });
  return connect(Buffer.from(secret.data?.['kubeconfig'] ?? '', 'base64').toString());
}

/** With the cluster, all that was on it is gone. */
async function isClusterGone(platform: Client, { spec }: AccessRequest): Promise<boolean> {
  const { clusterRef, requestRef } = spec;
  const request =
    requestRef && (await orAbsent(platform.get<ClusterRequest>({ ...clusterRequests.ref, ...requestRef })));
  const place = clusterRef ?? request?.status?.cluster;
  const cluster = place && (await orAbsent(platform.get({ ...clusters.ref, ...place })));
  return cluster === undefined || cluster.metadata.deletionTimestamp !== undefined;
}

async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

const noAccess = (request: string): ChandleryError =>
  new ChandleryError('AccessIncomplete', `AccessRequest ${request} has no Secret with a kubeconfig`, {
    hint: 'See its conditions on the platform cluster.',
  });
