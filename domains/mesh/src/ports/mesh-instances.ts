import type { MeshInstance } from '../model/mesh-instance.ts';
import type { ServiceKey, ServiceName } from '../model/service-name.ts';
import type { Unsubscribe } from './unsubscribe.ts';

/** The service instances that are services of a mesh. It has no awareness of policies and proxies. */
export interface MeshInstances {
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  /** Why the data may be stale; undefined while it is fresh. */
  readonly staleReason: string | undefined;
  get(service: ServiceName): MeshInstance | undefined;
  list(): Iterable<MeshInstance>;
  /** Calls the listener with the services that were added, changed or removed, after reads show it. */
  subscribe(listener: (changed: readonly ServiceKey[]) => void): Unsubscribe;
}

/** For meshes without instances. */
export const noInstances: MeshInstances = {
  synced: Promise.resolve(),
  isSynced: true,
  staleReason: undefined,
  get: () => undefined,
  list: () => [],
  subscribe: () => () => undefined,
};
