import type { KubeObject } from '@chandlery/api';
import type { Informer } from '@chandlery/runtime';
import type { MeshService } from '../../model/mesh-service.ts';
import { parseServiceKey, type ServiceKey, type ServiceName, serviceKey } from '../../model/service-name.ts';
import type { MeshInstances } from '../../ports/mesh-instances.ts';
import { type DeclaredService, mergeInstance, mergeServices } from './merge-services.ts';
import type { DeclaredPort } from './port-protocol.ts';
import { healthCheckAnnotation, readHealthCheck } from './read-health-check.ts';

/** The kept fields of a Service. */
export interface KeptService extends KubeObject {
  readonly spec?: { readonly ports?: readonly DeclaredPort[]; readonly clusterIPs?: readonly string[] };
}

/** A cluster whose Services are part of the mesh. */
export interface ServiceSource {
  readonly cluster: string;
  readonly services: Informer<KeptService>;
}

export interface ServiceTableOptions {
  /** By descending priority. */
  readonly sources: readonly ServiceSource[];
  /** Service instances, which are services too. */
  readonly instances: Pick<MeshInstances, 'get'>;
  readonly onChange: (service: ServiceKey) => void;
  /** Called when the contradiction between clusters has changed. */
  readonly onMismatch: (message: string) => void;
}

/** The services of all clusters, merged. The cost of a change is proportional to the number of clusters. */
export class ServiceTable {
  readonly #services = new Map<ServiceKey, MeshService>();
  readonly #mismatches = new Map<ServiceKey, string>();
  readonly #options: ServiceTableOptions;

  constructor(options: ServiceTableOptions) {
    this.#options = options;
    const read = ({ metadata: { namespace = '', name = '' } }: KubeObject): void =>
      this.read(serviceKey({ namespace, name }));
    for (const { services } of options.sources) services.listen({ added: read, updated: read, deleted: read });
  }

  get(key: ServiceKey): MeshService | undefined {
    return this.#services.get(key);
  }

  list(): Iterable<MeshService> {
    return this.#services.values();
  }

  /** Reads a service again. To be called when its instance has changed. */
  read(key: ServiceKey): void {
    const name = parseServiceKey(key);
    const merged = name && mergeServices(name, this.#declared(name));
    this.#noteMismatch(key, merged?.mismatch);
    const before = this.#services.get(key);
    const after = name && mergeInstance(merged?.service, this.#options.instances.get(name));
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    if (after === undefined) this.#services.delete(key);
    else this.#services.set(key, after);
    this.#options.onChange(key);
  }

  #declared({ namespace, name }: ServiceName): DeclaredService[] {
    return this.#options.sources.flatMap(({ cluster, services }) => {
      const found = services.get(namespace, name);
      if (found === undefined) return [];
      const healthCheck = readHealthCheck(found.metadata.annotations?.[healthCheckAnnotation]);
      const { ports = [], clusterIPs: clusterIps = [] } = found.spec ?? {};
      return [{ cluster, ports, clusterIps, ...(healthCheck && { healthCheck }) }];
    });
  }

  #noteMismatch(key: ServiceKey, mismatch: string | undefined): void {
    if (this.#mismatches.get(key) === mismatch) return;
    if (mismatch === undefined) return void this.#mismatches.delete(key);
    this.#mismatches.set(key, mismatch);
    this.#options.onMismatch(mismatch);
  }
}
