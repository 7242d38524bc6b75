import { toError } from '@chandlery/api';
import type { CertificateFiles, Tunnel, TunnelAddress } from '@chandlery/mesh/agent';
import type { HostPort } from './addresses.ts';
import { loadMesh } from './mesh-module.ts';
import { signerOf } from './signer-of.ts';

export interface TunnelDoorOptions {
  /** Where clients of this machine connect. */
  readonly listen: TunnelAddress;
  /** Where proxies connect at present. */
  readonly address: () => HostPort;
  readonly files: () => CertificateFiles;
  /** Called when the control plane cannot be reached for a client. */
  readonly onFailure: () => void;
  readonly tell: (line: string) => void;
}

/** The tunnel. It is opened anew when another root signs, so that whoever is connected proves itself by that one. */
export class TunnelDoor implements AsyncDisposable {
  readonly #options: TunnelDoorOptions;
  #signer: string | undefined;
  /** With the port that it was given, if it had asked for any. */
  #listen: TunnelAddress;
  #tunnel: Tunnel | undefined;
  #isOpened = false;
  #following: Promise<void> = Promise.resolve();

  constructor(options: TunnelDoorOptions) {
    this.#options = options;
    this.#listen = options.listen;
  }

  /** Resolves with where it listens. Opening it again does nothing. */
  async open(): Promise<TunnelAddress> {
    await this.#following;
    if (this.#tunnel === undefined) await this.#openTunnel();
    return this.#listen;
  }

  /** What fails is tried again with the next certificate. */
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
