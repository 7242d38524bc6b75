import type { SecureContextOptions } from 'node:tls';
import { secretNames } from '../../../../domains/mesh/src/model/resource-names.ts';
import type { ReceivedResponse } from '../../../../domains/mesh/src/test-xds-client/test-messages.ts';
import type { MeshLandscape } from './mesh-landscape.ts';
import type { TestProxy } from './test-proxy.ts';

interface DecodedRoots {
  readonly validation_context?: { readonly trusted_ca: { readonly inline_string: string } };
}

/** The certificate of a workload, from its agent, and the roots of its proxy, applied as they arrive. */
export class SidecarCertificates implements AsyncDisposable {
  readonly account: string;
  readonly #mesh: MeshLandscape;
  #proxy: TestProxy;
  #taken = 0;
  #context: SecureContextOptions = {};

  private constructor(mesh: MeshLandscape, account: string, proxy: TestProxy) {
    this.#mesh = mesh;
    this.account = account;
    this.#proxy = proxy;
  }

  /** Resolves when both have arrived. */
  static async follow(mesh: MeshLandscape, account: string): Promise<SidecarCertificates> {
    const sidecar = new SidecarCertificates(mesh, account, await open(mesh, account));
    await sidecar.#renew();
    return sidecar;
  }

  /** TLS context of current connections of the workload. */
  get context(): SecureContextOptions {
    for (const response of this.#proxy.responses('secret').slice(this.#taken)) this.#take(response);
    return this.#context;
  }

  /** Reconnects with new certificates, as an Envoy does whose agent has detected another signing root. */
  async reconnect(): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
    this.#proxy = await open(this.#mesh, this.account);
    this.#taken = 0;
    await this.#renew();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#proxy[Symbol.asyncDispose]();
  }

  async #renew(): Promise<void> {
    const { cert, key } = await this.#mesh.certificate({ account: this.account });
    this.#context = { ...this.#context, cert, key };
    await this.#proxy.until('secret', () => this.context.ca !== undefined);
  }

  #take({ resources }: ReceivedResponse): void {
    this.#taken += 1;
    for (const resource of resources) {
      const { validation_context: believed } = this.#proxy.decode<DecodedRoots>(resource);
      if (believed) this.#context = { ...this.#context, ca: believed.trusted_ca.inline_string };
    }
  }
}

async function open(mesh: MeshLandscape, account: string): Promise<TestProxy> {
  const proxy = await mesh.proxy({ account, stream: { autoAck: true } });
  proxy.ask('secret', [secretNames.inboundRoots]);
  return proxy;
}
