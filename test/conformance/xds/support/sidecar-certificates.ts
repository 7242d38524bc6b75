import type { SecureContextOptions } from 'node:tls';
import { secretNames } from '../../../../domains/mesh/src/model/resource-names.ts';
import type { ReceivedResponse } from '../../../../domains/mesh/src/test-xds-client/test-messages.ts';
import type { MeshLandscape } from './mesh-landscape.ts';
import type { TestProxy } from './test-proxy.ts';

interface DecodedSecret {
  readonly name: string;
  readonly tls_certificate?: {
    readonly certificate_chain: { readonly inline_string: string };
    readonly private_key: { readonly inline_string: string };
  };
  readonly validation_context?: { readonly trusted_ca: { readonly inline_string: string } };
}

const names = [secretNames.workload, secretNames.inboundRoots];

/** The certificate and the roots of a workload as its proxy is told them, each new one taken over when it comes. */
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

  /** Resolves when both are there. */
  static async follow(mesh: MeshLandscape, account: string): Promise<SidecarCertificates> {
    const sidecar = new SidecarCertificates(mesh, account, await open(mesh, account));
    await sidecar.#untilComplete();
    return sidecar;
  }

  /** Of connections that the workload makes or takes now. */
  get context(): SecureContextOptions {
    for (const response of this.#proxy.responses('secret').slice(this.#taken)) this.#take(response);
    return this.#context;
  }

  /** Comes back with a new certificate for the control plane, as an agent does when another root signs. */
  async reconnect(): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
    this.#proxy = await open(this.#mesh, this.account);
    this.#taken = 0;
    await this.#untilComplete();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#proxy[Symbol.asyncDispose]();
  }

  async #untilComplete(): Promise<void> {
    await this.#proxy.until('secret', () => this.context.cert !== undefined && this.context.ca !== undefined);
  }

  #take({ resources }: ReceivedResponse): void {
    this.#taken += 1;
    for (const resource of resources) {
      const { tls_certificate: own, validation_context: believed } = this.#proxy.decode<DecodedSecret>(resource);
      if (own) {
        const [cert, key] = [own.certificate_chain.inline_string, own.private_key.inline_string];
        this.#context = { ...this.#context, cert, key };
      }
      if (believed) this.#context = { ...this.#context, ca: believed.trusted_ca.inline_string };
    }
  }
}

async function open(mesh: MeshLandscape, account: string): Promise<TestProxy> {
  const proxy = await mesh.proxy({ account, stream: { autoAck: true } });
  proxy.ask('secret', names);
  return proxy;
}
