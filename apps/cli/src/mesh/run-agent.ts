import { X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError, toError } from '@chandlery/api';
import type { CertificateFiles, KeptCertificate, Tunnel } from '@chandlery/mesh';
import type { Logger } from '@chandlery/platform';
import type { HostPort } from './addresses.ts';
import { claimFolder } from './claim-folder.ts';
import type { MeshClient } from './mesh-client.ts';
import { loadMesh } from './mesh-module.ts';
import { askTrust, type CertificateWish, requestCertificate } from './request-certificate.ts';
import { signerOf } from './signer-of.ts';

/** What an agent does, and for whom. */
export interface AgentOptions extends CertificateWish {
  readonly mesh: MeshClient;
  /** Where the certificate is kept. */
  readonly folder: string;
  /** Where clients of this machine connect. */
  readonly listen: HostPort;
  /** Where proxies connect. */
  readonly xds: HostPort;
  /** However fresh the certificate is, another one is asked for so often: it may be another root's turn. */
  readonly renewEveryMs: number;
  /** How often the roots are asked for. Default: as often as the mesh finds right. */
  readonly trustPollMs?: number;
  readonly logger: Logger;
  /** Called when the certificate is there and the tunnel open. */
  readonly onReady: (state: { readonly port: number; readonly notAfter: Date }) => void;
}

/**
 * Keeps a certificate fresh and carries connections to the control plane, until the signal. Rejects with `FolderTaken` where
 * somebody else's certificate is kept.
 */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<void> {
  await claimFolder(options, signal);
  const { folder, mesh, account, logger, onReady, renewEveryMs, trustPollMs } = options;
  const { keepCertificate } = await loadMesh();
  const files = await filesReader(folder);
  await using door = new TunnelDoor(options, files);
  await using kept = await keepCertificate({
    folder,
    logger,
    requestCertificate: async (csr, cancel) => {
      const signed = await requestCertificate(mesh, csr, { ...options, signal: cancel });
      const { certificate: chain, trustBundle, trustVersion } = signed;
      return { chain, trustBundle, trustVersion };
    },
    trustVersion: async cancel => (await askTrust(mesh, account, cancel)).trustVersion,
    ...(trustPollMs !== undefined && { trustPollMs }),
    onRenewed: () => door.followSigner(),
  });
  if (!isFor(files(), options)) await kept.renew();
  const port = await door.open();
  onReady({ port, notAfter: kept.notAfter });
  for (;;) {
    await sleep(renewEveryMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await renew(kept, logger);
  }
}

/** What fails is tried again the next time: the certificate of the moment may be good for long. */
async function renew(kept: KeptCertificate, logger: Logger): Promise<void> {
  try {
    await kept.renew();
  } catch (error) {
    const fields = { notAfter: kept.notAfter.toISOString(), why: toError(error).message };
    logger.warn('cannot renew the certificate; will be tried again', fields);
  }
}

async function filesReader(folder: string): Promise<() => CertificateFiles> {
  const { readCertificateFolder } = await loadMesh();
  return () => {
    const files = readCertificateFolder(folder);
    if (files !== undefined) return files;
    throw new ChandleryError('NotFound', `there is no certificate in ${folder} any more`);
  };
}

/** Not when it is that of a proxy, and the workload's own is wanted. */
function isFor({ cert }: CertificateFiles, { account, proxyId }: CertificateWish): boolean {
  const { cluster, namespace, name } = account;
  const proxy = proxyId === undefined ? '' : `/proxy/${proxyId}`;
  const { subjectAltName = '' } = new X509Certificate(cert);
  return subjectAltName
    .split(', ')
    .some(each => each.endsWith(`/cluster/${cluster}/ns/${namespace}/sa/${name}${proxy}`));
}

/** The tunnel. It is opened anew when another root signs, so that whoever is connected proves itself by that one. */
class TunnelDoor implements AsyncDisposable {
  readonly #options: AgentOptions;
  readonly #files: () => CertificateFiles;
  #signer: string | undefined;
  #port: number;
  #tunnel: Tunnel | undefined;
  #isOpened = false;
  #following: Promise<void> = Promise.resolve();

  constructor(options: AgentOptions, files: () => CertificateFiles) {
    this.#options = options;
    this.#files = files;
    this.#port = options.listen.port;
  }

  async open(): Promise<number> {
    this.#isOpened = true;
    const { listen, xds: target, logger } = this.#options;
    const { openTunnel } = await loadMesh();
    const signer = signerOf(this.#files());
    const listenAt = { host: listen.host, port: this.#port };
    this.#tunnel = await openTunnel({ listen: listenAt, target, readCertificate: this.#files, logger });
    this.#port = this.#tunnel.port;
    this.#signer = signer;
    return this.#port;
  }

  /** What fails is tried again with the next certificate. */
  followSigner(): void {
    const warn = (error: unknown): void =>
      this.#options.logger.warn('cannot open the tunnel again', { why: toError(error).message });
    this.#following = this.#following.then(() => this.#openAnew()).catch(warn);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOpened = false;
    await this.#following;
    await this.#close();
  }

  async #openAnew(): Promise<void> {
    const isFine = this.#tunnel !== undefined && signerOf(this.#files()) === this.#signer;
    if (!this.#isOpened || isFine) return;
    await this.#close();
    await this.open();
  }

  async #close(): Promise<void> {
    await this.#tunnel?.[Symbol.asyncDispose]();
    this.#tunnel = undefined;
  }
}
