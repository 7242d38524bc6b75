import type { Client } from '@chandlery/client';
import { type Informer, keyOf, type SharedInformers } from '@chandlery/runtime';
import {
  type AccessRequest,
  accessRequests,
  type Cluster,
  type ClusterProfile,
  type ClusterRequest,
  clusterProfiles,
  clusterRequests,
  clusters,
} from '../../kinds/index.ts';
import { type Granter, selectorForAll } from '../../model/access/access-names.ts';
import { withoutContents } from './without-contents.ts';

/** The informers of both controllers. */
export interface AccessInformers {
  readonly requests: Informer<AccessRequest>;
  readonly clusterRequests: Informer<ClusterRequest>;
  readonly clusters: Informer<Cluster>;
  readonly profiles: Informer<ClusterProfile>;
  /** The Secrets of requests, without their data. */
  readonly secrets: Informer;
  /** The keys of the requests that an object concerns. */
  readonly requestsOf: {
    readonly clusterRequest: (object: ClusterRequest) => readonly string[];
    readonly cluster: (object: Cluster) => readonly string[];
    readonly clusterKey: (key: string) => readonly string[];
    readonly profile: (object: ClusterProfile) => readonly string[];
  };
}

const secretsRef = { group: '', version: 'v1', plural: 'secrets' };

/** Uses the shared informers of the platform cluster, with indexes by what requests refer to. */
export function accessInformers(client: Client, shared: SharedInformers, granter: Granter): AccessInformers {
  const requests = shared.informer<AccessRequest>({
    client,
    ref: accessRequests.ref,
    indexes: { 'access-cluster': clusterOf, 'access-cluster-request': clusterRequestOf },
  });
  const clusterInformer = shared.informer<Cluster>({
    client,
    ref: clusters.ref,
    indexes: { 'access-profile': profileOf },
  });
  const requestInformer = shared.informer<ClusterRequest>({
    client,
    ref: clusterRequests.ref,
    indexes: { 'access-given': givenCluster },
  });
  const clusterRequest = (object: ClusterRequest): readonly string[] =>
    requests.byIndex('access-cluster-request', keyOf(object)).map(keyOf);
  // Also by the ClusterRequest: the cluster may be in the request's status, and that write not in our cache yet.
  const clusterKey = (key: string): readonly string[] => [
    ...requests.byIndex('access-cluster', key).map(keyOf),
    ...requestInformer.byIndex('access-given', key).flatMap(clusterRequest),
  ];
  const cluster = (object: Cluster): readonly string[] => clusterKey(keyOf(object));
  return {
    requests,
    clusterRequests: requestInformer,
    clusters: clusterInformer,
    profiles: shared.informer<ClusterProfile>({ client, ref: clusterProfiles.ref }),
    secrets: shared.informer({
      client,
      ref: secretsRef,
      labelSelector: selectorForAll(granter),
      transform: withoutContents,
    }),
    requestsOf: {
      cluster,
      clusterKey,
      clusterRequest,
      profile: ({ metadata: { name = '' } }) => clusterInformer.byIndex('access-profile', name).flatMap(cluster),
    },
  };
}

interface Ref {
  readonly name: string;
  readonly namespace: string;
}

const keyOfRef = (ref: Ref | undefined): readonly string[] =>
  ref === undefined ? [] : [`${ref.namespace}/${ref.name}`];
const clusterOf = ({ spec }: AccessRequest): readonly string[] => keyOfRef(spec.clusterRef);
const clusterRequestOf = ({ spec }: AccessRequest): readonly string[] => keyOfRef(spec.requestRef);
const givenCluster = ({ status }: ClusterRequest): readonly string[] => keyOfRef(status?.cluster);
const profileOf = ({ spec }: Cluster): readonly string[] => [spec.profile];
