import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { ObjectEvent } from '@chandlery/runtime';
import type { AccessRequest, Cluster } from '../../kinds/index.ts';
import type { Granter } from '../../model/access/access-names.ts';
import type { ClusterAddress } from '../../ports.ts';

type Place = NonNullable<AccessRequest['spec']['clusterRef']>;

/** What the steps that give access need from the world. */
export interface AccessNeeds {
  readonly granter: Granter;
  /** The request's cluster; undefined when it is gone. */
  cluster(request: AccessRequest): Cluster | undefined;
  /** The API of the request's cluster, with all rights. From now on what is there for the request is watched. */
  connect(request: AccessRequest): Promise<Client>;
  /** The API of any cluster, with all rights; undefined when it is gone. */
  connectTo(clusterRef: Place): Promise<Client | undefined>;
  /** What goes into kubeconfigs. */
  address(request: AccessRequest): Promise<ClusterAddress>;
  readonly secrets: RequestSecrets;
  record(request: AccessRequest, event: ObjectEvent): void;
}

/** The Secrets of requests, on the platform cluster. */
export interface RequestSecrets {
  read(request: AccessRequest, signal: AbortSignal): Promise<KubeObject | undefined>;
  /** Creates it, or replaces the one that was read. Rejects with `Conflict` when somebody wrote meanwhile. */
  write(secret: KubeObject, before: KubeObject | undefined, signal: AbortSignal): Promise<void>;
  /** One that is gone is no error. */
  delete(secret: KubeObject, signal: AbortSignal): Promise<void>;
}
