import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { ObjectEvent } from '@chandlery/runtime';
import type { AccessRequest, Cluster } from '../../kinds/index.ts';
import type { Granter } from '../../model/access/access-names.ts';
import type { ClusterAddress } from '../../ports.ts';

type Place = NonNullable<AccessRequest['spec']['clusterRef']>;

/** The dependencies of the steps that grant access. */
export interface AccessDeps {
  readonly granter: Granter;
  /** The request's cluster; undefined when it is deleted. */
  cluster(request: AccessRequest): Cluster | undefined;
  /** Connects to the request's cluster with all rights, and watches the objects of the request there from now on. */
  connect(request: AccessRequest): Promise<Client>;
  /** Connects to any cluster with all rights; undefined when it is deleted. */
  connectTo(clusterRef: Place): Promise<Client | undefined>;
  /** The address for kubeconfigs. */
  address(request: AccessRequest): Promise<ClusterAddress>;
  readonly secrets: RequestSecrets;
  record(request: AccessRequest, event: ObjectEvent): void;
}

/** The Secrets of requests, on the platform cluster. */
export interface RequestSecrets {
  read(request: AccessRequest, signal: AbortSignal): Promise<KubeObject | undefined>;
  /** Creates the Secret, or replaces the version that was read. Rejects with `Conflict` after a concurrent write. */
  write(secret: KubeObject, before: KubeObject | undefined, signal: AbortSignal): Promise<void>;
  /** A missing Secret is no error. */
  delete(secret: KubeObject, signal: AbortSignal): Promise<void>;
}
