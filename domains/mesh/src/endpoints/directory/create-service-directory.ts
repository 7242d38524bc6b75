import { ChandleryError } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { createInformer, type Informer } from '@chandlery/runtime';
import { type ServiceKey, serviceKey } from '../../model/service-name.ts';
import type { ServiceDirectory } from '../../ports/endpoints.ts';
import { type MeshInstances, noInstances } from '../../ports/mesh-instances.ts';
import { MicrotaskBatch } from '../microtask-batch.ts';
import { healthCheckAnnotation } from './read-health-check.ts';
import { type KeptService, ServiceTable } from './service-table.ts';

/** A cluster that declares services of the mesh. */
export interface DirectoryCluster {
  readonly name: string;
  /** Not disposed of. */
  readonly client: Client;
}

export interface ServiceDirectoryOptions {
  /** By descending priority. */
  readonly clusters: readonly DirectoryCluster[];
  /** Service instances, which are services without a declaration. Default: none. */
  readonly instances?: MeshInstances;
  /** Receives warnings about contradictions and unreadable clusters. Default: none. */
  readonly logger?: Pick<Logger, 'warn'>;
}

const servicesRef: ResourceRef = { group: '', version: 'v1', plural: 'services' };

/** Reads the Services of all clusters and the service instances, and keeps them up to date until disposed of. */
export function createServiceDirectory(options: ServiceDirectoryOptions): ServiceDirectory {
  const { clusters, instances = noInstances, logger } = options;
  const sources = clusters.map(cluster => ({ cluster: cluster.name, services: informerOf(cluster, logger) }));
  const listeners = new Set<(changed: ReadonlySet<ServiceKey>) => void>();
  const changed = new MicrotaskBatch(keys => {
    for (const listener of listeners) listener(keys);
  });
  const table = new ServiceTable({
    sources,
    instances,
    onChange: service => changed.add(service),
    onMismatch: message => logger?.warn(message),
  });
  const unsubscribe = instances.subscribe(services => services.forEach(service => table.read(service)));
  const readInstances = (): void => {
    for (const { service } of instances.list()) table.read(serviceKey(service));
  };
  for (const { services } of sources) services.start();
  const synced = Promise.withResolvers<void>();
  // Prevents an unhandled rejection when no caller awaits the promise.
  synced.promise.catch(() => undefined);
  Promise.all([...sources.map(({ services }) => services.synced), instances.synced.then(readInstances)]).then(
    () => synced.resolve(),
    synced.reject,
  );
  return {
    synced: synced.promise,
    get isSynced() {
      return instances.isSynced && sources.every(({ services }) => services.isSynced);
    },
    listServices: () => table.list(),
    getService: service => table.get(serviceKey(service)),
    subscribe: listener => {
      const entry: typeof listener = keys => listener(keys);
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    async [Symbol.asyncDispose]() {
      listeners.clear();
      unsubscribe();
      synced.reject(new ChandleryError('Stopped', 'the service directory was stopped before it was read'));
      await Promise.all(sources.map(({ services }) => services.stop()));
    },
  };
}

const informerOf = (
  { name, client }: DirectoryCluster,
  logger: ServiceDirectoryOptions['logger'],
): Informer<KeptService> =>
  createInformer<KeptService>({
    ...{ client, ref: servicesRef, transform: compact },
    onError: error => logger?.warn(`cannot read services of cluster "${name}" for the mesh: ${error.message}`),
  });

/** Keeps only the fields that are evaluated: a cluster may have thousands of services. */
function compact({ apiVersion, kind, metadata, spec }: KeptService): KeptService {
  const { name = '', namespace = '', uid = '', resourceVersion = '', annotations } = metadata;
  const healthCheck = annotations?.[healthCheckAnnotation];
  const kept = healthCheck === undefined ? {} : { annotations: { [healthCheckAnnotation]: healthCheck } };
  const { ports = [], clusterIPs = [] } = spec ?? {};
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion, ...kept },
    spec: { ports, clusterIPs },
  };
}
