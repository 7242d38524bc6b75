import { toError } from '@chandlery/api';
import type { CertificateFiles, Tunnel } from '@chandlery/mesh';
import type { HostPort } from './addresses.ts';
import { loadMesh } from './mesh-module.ts';
import { signerOf } from './signer-of.ts';

export interface TunnelDoorOptions {
  /** Where clients of this machine connect. */
  readonly listen: HostPort;
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
  #port: number;
  #tunnel: Tunnel | undefined;
  #isOpened = false;
  #following: Promise<void> = Promise.resolve();

  constructor(options: TunnelDoorOptions) {
    this.#options = options;
    this.#port = options.listen.port;
  }

  /** Answers the port. Opening it again does nothing. */
  async open(): Promise<number> {
    await this.#following;
    if (this.#tunnel === undefined) await this.#openTunnel();
    return this.#port;
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
    const { listen, address: target, files, onFailure } = this.#options;
    const { openTunnel } = await loadMesh();
    const signer = signerOf(files());
    const listenAt = { host: listen.host, port: this.#port };
    this.#tunnel = await openTunnel({ listen: listenAt, target, readCertificate: files, onFailure });
    this.#port = this.#tunnel.port;
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
