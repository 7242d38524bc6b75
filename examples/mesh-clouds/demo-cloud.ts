import type { EndpointHealth } from '../../domains/mesh/src/model/endpoint.ts';

/** What becomes of a machine; `gone` deletes it. */
export type DemoState = EndpointHealth | 'gone';

/** A test server of a cloud, with what a landscape needs to use it. */
export interface DemoCloud {
  /** Of its API. */
  readonly url: string;
  /** Name and entries of the Secret with credentials. */
  readonly secret: { readonly name: string; readonly entries: Readonly<Record<string, string>> };
  /** Settings of the landscape besides the address: who signs identity documents. */
  readonly settings: object;
  /** Rejects with a sentence when the server cannot do it. */
  set(name: string, state: DemoState): Promise<void>;
  /** Puts an event about a machine into the queue `machines`. */
  notify(name: string): Promise<void>;
  /** Responds as the metadata service of a machine; undefined for other paths. */
  readMetadata(request: { readonly method: string; readonly url: URL }): Promise<string | undefined>;
}

/** The machines of a service that a test server has. */
export class DemoMachines {
  readonly #machines = new Map<string, { readonly ip: string; readonly health: EndpointHealth }>();
  readonly #network: string;
  #last = 3;

  /** `network`: the first three bytes of addresses. */
  constructor(network: string) {
    this.#network = network;
  }

  set(name: string, state: DemoState): void {
    if (state === 'gone') return void this.#machines.delete(name);
    const ip = this.#machines.get(name)?.ip ?? `${this.#network}.${(this.#last += 1)}`;
    this.#machines.set(name, { ip, health: state });
  }

  list(zone: string) {
    return [...this.#machines].map(([name, machine]) => ({ ...machine, name, zone, service: 'books' }));
  }
}
