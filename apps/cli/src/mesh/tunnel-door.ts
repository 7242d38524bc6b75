import { toError } from '@chandlery/api';
import type { CertificateFiles, Tunnel, TunnelAddress } from '@chandlery/mesh/agent';
import type { HostPort } from './addresses.ts';
import { loadMesh } from './mesh-module.ts';
import { signerOf } from './signer-of.ts';

export interface TunnelDoorOptions {
  /** Listening address for clients. */
  readonly listen: TunnelAddress;
  /** Current address for proxies. */
  readonly address: () => HostPort;
  readonly files: () => CertificateFiles;
  /** Called when the control plane is not reachable for a client. */
  readonly onFailure: () => void;
  readonly tell: (line: string) => void;
}

/**
 * The tunnel of an agent. It is reopened when another root signs, so that connected clients authenticate with a
 * certificate of that root.
 */
export class AgentTunnel implements AsyncDisposable {
  readonly #options: TunnelDoorOptions;
  #signer: string | undefined;
  /** With the assigned port, if any port was requested. */
  #listen: TunnelAddress;
  #tunnel: Tunnel | undefined;
  #isOpened = false;
  #following: Promise<void> = Promise.resolve();

  constructor(options: TunnelDoorOptions) {
    this.#options = options;
    this.#listen = options.listen;
  }

  /** Resolves with the listening address. Opening it again has no effect. */
  async open(): Promise<TunnelAddress> {
    await this.#following;
    if (this.#tunnel === undefined) await this.#openTunnel();
    return this.#listen;
  }

  /** A failure is retried with the next certificate. */
  followSigner(): void {
    const tell = (error: unknown): void =>
      this.#options.tell(`Cannot open the tunnel again: ${toError(error).message}. Tried with the next certificate.`);
    this.#following = this.#following.then(() => this.#openAnew()).catch(tell);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOpened = false;
    await this.#following;
    await this.#close();
  }

  async #openTunnel(): Promise<void> {
    this.#isOpened = true;
    const { address: target, files, onFailure } = this.#options;
    const { openTunnel } = await loadMesh();
    const signer = signerOf(files());
    this.#tunnel = await openTunnel({ listen: this.#listen, target, readCertificate: files, onFailure });
    if ('host' in this.#listen) this.#listen = { ...this.#listen, port: this.#tunnel.port };
    this.#signer = signer;
  }

  async #openAnew(): Promise<void> {
    const isFine = this.#tunnel !== undefined && signerOf(this.#options.files()) === this.#signer;
    if (!this.#isOpened || isFine) return;
    await this.#close();
    await this.#openTunnel();
  }

  async #close(): Promise<void> {
    await this.#tunnel?.[Symbol.asyncDispose]();
    this.#tunnel = undefined;
  }
}
