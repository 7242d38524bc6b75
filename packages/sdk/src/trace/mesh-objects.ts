import type { KubeObject } from '@chandlery/api';
import { ClusterObjects } from './cluster-objects.ts';

/** A proxy that enforces access, as `/mesh/v1/instances` shows it. */
export interface TracedProxy {
  readonly nodeId: string;
  readonly cluster: string;
  readonly state: string;
  readonly message?: string;
}

/** A service instance in one of its meshes, as `/mesh/v1/instances` shows it. */
export interface TracedMeshService {
  readonly mesh: string;
  readonly service: { readonly namespace: string; readonly name: string };
  /** The proxies in front of the instance. Default: it has none. */
  readonly proxies?: readonly TracedProxy[];
  readonly access: readonly {
    /** `namespace/name` of the ServiceBinding. */
    readonly binding: string;
    /** `namespace/name`. */
    readonly account: string;
    readonly cluster?: string;
    readonly proxies: readonly TracedProxy[];
  }[];
}

/** Finds the uid of an object of the service manager, by `namespace/name`. */
export type FindUid = (kind: 'ServiceInstance' | 'ServiceBinding', key: string) => string | undefined;

const prefix = 'mesh/';

/** Whether a part of a landscape is a mesh. */
export const isMesh = (cluster: string): boolean => cluster.startsWith(prefix);

/**
 * The meshes of an instance as parts of a landscape: the instance causes a service, a binding the access of an account,
 * and access is enforced by proxies.
 */
export function meshesOf(
  instance: string,
  services: readonly TracedMeshService[],
  findUid: FindUid,
): ReadonlyMap<string, ClusterObjects> {
  return new Map(
    services.map(service => [`${prefix}${service.mesh}`, new ClusterObjects(objectsOf(instance, service, findUid))]),
  );
}

function objectsOf(
  instance: string,
  { mesh, service, proxies = [], access }: TracedMeshService,
  findUid: FindUid,
): KubeObject[] {
  const served = meshObject('MeshService', service, { mesh, owner: findUid('ServiceInstance', instance) ?? '' });
  const shared = { mesh, owner: served.metadata.uid ?? '' };
  return [
    ready(served),
    ...proxies.map(proxy => proxyObject(proxy, shared)),
    ...access.flatMap(({ binding, account, cluster, proxies: callers }) => {
      const [namespace = '', name = ''] = account.split('/');
      const owner = findUid('ServiceBinding', binding) ?? shared.owner;
      const granted = meshObject('MeshAccess', { namespace, name }, { mesh, owner, of: binding });
      const nobody = `no proxy of the account is connected${cluster === undefined ? '' : ` on cluster ${cluster}`}`;
      return [
        callers.length === 0 ? notReady(granted, 'NoProxy', nobody) : ready(granted),
        ...callers.map(proxy => proxyObject(proxy, { mesh, owner: granted.metadata.uid ?? '' })),
      ];
    }),
  ];
}

interface MeshPlace {
  readonly mesh: string;
  /** The uid of what caused it. */
  readonly owner: string;
  /** Makes objects of one name different. Default: nothing. */
  readonly of?: string;
}

const group = 'mesh.chandlery.io/v1alpha1';

function meshObject(
  kind: string,
  place: { readonly namespace?: string; readonly name: string },
  { mesh, owner, of = '' }: MeshPlace,
): KubeObject {
  const uid = [mesh, kind, place.namespace ?? '', place.name, of, owner].join('/');
  const ownerReferences = [{ apiVersion: group, kind: 'ServiceInstance', name: owner, uid: owner }];
  return { apiVersion: group, kind, metadata: { ...place, uid, ownerReferences } };
}

/** In words of conditions: `Error`, `Stale`, `NotSent`. */
const reasons: Readonly<Record<string, string>> = { ERROR: 'Error', STALE: 'Stale', NOT_SENT: 'NotSent' };

function proxyObject({ nodeId, state, message = '' }: TracedProxy, place: MeshPlace): KubeObject {
  const proxy = meshObject('Proxy', { name: nodeId }, place);
  return state === 'SYNCED' ? ready(proxy) : notReady(proxy, reasons[state] ?? state, message);
}

const ready = (object: KubeObject): KubeObject => withReady(object, { type: 'Ready', status: 'True' });

const notReady = (object: KubeObject, reason: string, message: string): KubeObject =>
  withReady(object, { type: 'Ready', status: 'False', reason, message });

const withReady = (object: KubeObject, condition: object): KubeObject => ({
  ...object,
  status: { conditions: [condition] },
});
