import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { ServiceName } from '../../model/service-name.ts';
import type { PlatformEndpoint } from '../endpoints-provider-contract.ts';

/** An EndpointSlice of the namespace `default`, with the relevant fields. */
export interface SliceShape {
  readonly name: string;
  readonly service?: string;
  readonly addressType?: 'IPv4' | 'IPv6' | 'FQDN';
  readonly ports: readonly object[];
  readonly endpoints: readonly object[];
}

const ref = { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', namespace: 'default' };

/** A cluster whose slices the test writes. */
export class TestCluster {
  readonly client: Client;
  readonly #names = new Map<string, Set<string>>();

  constructor(client: Client) {
    this.client = client;
  }

  /** Creates or replaces a slice. */
  async putSlice({ name, service, addressType = 'IPv4', ports, endpoints }: SliceShape): Promise<void> {
    const slice: KubeObject = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, namespace: 'default', labels: service ? { 'kubernetes.io/service-name': service } : {} },
      addressType,
      ports,
      endpoints,
    };
    await this.client.patch({ ...ref, name }, { type: 'apply', body: slice, force: true }, { fieldManager: 'test' });
  }

  async removeSlice(name: string): Promise<void> {
    await this.client.delete({ ...ref, name });
  }

  /** Writes one slice for each endpoint, as after many changes, and deletes those of removed endpoints. */
  async putService({ name }: ServiceName, endpoints: readonly PlatformEndpoint[]): Promise<void> {
    const before = this.#names.get(name) ?? new Set();
    const after = new Set<string>();
    for (const [index, { ip, port, portName = 'http', health = 'healthy', zone }] of endpoints.entries()) {
      const conditions = conditionsOf[health];
      const addressType = ip.includes(':') ? 'IPv6' : 'IPv4';
      const sliceName = `${name}-${addressType.toLowerCase()}-${index}`;
      await this.putSlice({
        name: sliceName,
        service: name,
        addressType,
        ports: [{ name: portName, port, protocol: 'TCP' }],
        endpoints: [{ addresses: [ip], conditions, ...(zone && { zone }) }],
      });
      after.add(sliceName);
    }
    for (const gone of before.difference(after)) await this.removeSlice(gone);
    this.#names.set(name, after);
  }

  /** Changes an annotation of its slices. */
  async touch({ name }: ServiceName): Promise<void> {
    const body = { metadata: { annotations: { touched: 'yes' } } };
    for (const slice of this.#names.get(name) ?? [])
      await this.client.patch({ ...ref, name: slice }, { type: 'merge', body });
  }
}

const conditionsOf = {
  healthy: { ready: true, serving: true, terminating: false },
  draining: { ready: false, serving: true, terminating: true },
  unhealthy: { ready: false, serving: false, terminating: false },
};
