import type { KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { controllerOf, type Informer, type SharedInformers, withoutManagedFields } from '@chandlery/runtime';
import type { DisruptionBudget } from '../../model/workloads/disruption.ts';
import { serviceNameLabel } from '../../model/workloads/endpoint-slices.ts';
import type { Deployment, EndpointSlice, Job, PodObject, ReplicaSet, Service } from '../../model/workloads/objects.ts';
import type { NodeObject } from '../../model/workloads/placement.ts';
import type { VolumeClaim } from '../../model/workloads/volume-claims.ts';
import { refs } from './refs.ts';
import { WrittenCache } from './written-cache.ts';

/** Copies of the collections that workloads are made of. */
export interface WorkloadCaches {
  readonly deployments: Informer<Deployment>;
  readonly jobs: Informer<Job>;
  readonly services: Informer<Service>;
  readonly budgets: Informer<DisruptionBudget>;
  readonly nodes: Informer<NodeObject>;
  readonly secrets: Informer;
  readonly configMaps: Informer;
  readonly serviceAccounts: Informer;
  readonly volumeClaims: Informer<VolumeClaim>;
  /** By the uid of the controller, or {@link orphansOf} a namespace. */
  readonly replicaSets: WrittenCache<ReplicaSet>;
  /** By the uid of the controller, or {@link orphansOf} a namespace. */
  readonly pods: WrittenCache<PodObject>;
  /** By {@link serviceKey}. */
  readonly endpointSlices: WrittenCache<EndpointSlice>;
}

/** The index value of objects of a namespace without a controller. */
export const orphansOf = (namespace: string | undefined): string => `orphans/${namespace ?? ''}`;

const controllerOrOrphan = (object: KubeObject): readonly string[] => [
  controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace),
];

/** The index value of the slices of a service. */
export const serviceKey = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

const serviceOf = ({ metadata }: EndpointSlice): readonly string[] => {
  const name = metadata.labels?.[serviceNameLabel];
  return name === undefined ? [] : [serviceKey(metadata.namespace, name)];
};

/** The index of pods by their uid. */
export const byUid = 'uid';

/** Creates informers of all kinds; they are shared and belong to `informers`. */
export function openCaches(informers: SharedInformers, client: Client): WorkloadCaches {
  const informer = <T extends KubeObject = KubeObject>(ref: ResourceRef): Informer<T> =>
    informers.informer<T>({ client, ref, transform: withoutManagedFields });
  const pods = informer<PodObject>(refs.pods);
  pods.addIndex(byUid, uidOf);
  return {
    deployments: informer<Deployment>(refs.deployments),
    jobs: informer<Job>(refs.jobs),
    services: informer<Service>(refs.services),
    budgets: informer<DisruptionBudget>(refs.podDisruptionBudgets),
    nodes: informer<NodeObject>(refs.nodes),
    secrets: informer(refs.secrets),
    configMaps: informer(refs.configMaps),
    serviceAccounts: informer(refs.serviceAccounts),
    volumeClaims: informer<VolumeClaim>(refs.persistentVolumeClaims),
    replicaSets: new WrittenCache(informer<ReplicaSet>(refs.replicaSets), 'controller', controllerOrOrphan),
    pods: new WrittenCache(pods, 'controller', controllerOrOrphan),
    endpointSlices: new WrittenCache(informer<EndpointSlice>(refs.endpointSlices), 'service', serviceOf),
  };
}

const uidOf = ({ metadata }: KubeObject): readonly string[] => [metadata.uid ?? ''];
