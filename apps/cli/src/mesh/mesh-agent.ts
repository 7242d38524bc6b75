import type { ManagedCertificate, TunnelAddress } from '@chandlery/mesh/agent';
import type { HostPort } from './addresses.ts';
import type { AgentFiles } from './agent-files.ts';
import { Contact, type ContactMessages } from './contact.ts';
import { ControlPlaneContact } from './control-plane-contact.ts';
import type { MeshClient } from './mesh-client.ts';
import { loadMesh } from './mesh-module.ts';
import {
  type AccountTrust,
  type CertificateRequest,
  readTrust,
  requestCertificate,
  workloadChainOf,
} from './request-certificate.ts';
import { AgentTunnel } from './tunnel-door.ts';
import { untilReached } from './until-reached.ts';

/** The state of a ready agent. */
export interface AgentState {
  /** Listening address of the tunnel. Undefined: none, because an Envoy connects by itself. */
  readonly listen?: TunnelAddress;
  /** Address for proxies. */
  readonly xds: HostPort;
  /** When the certificate expires. */
  readonly notAfter: Date;
}

/** The options of an agent. */
export interface AgentOptions extends CertificateRequest {
  readonly mesh: MeshClient;
  /** Folder of the certificate. */
  readonly folder: string;
  /** Listening address of the tunnel. Default: none; only the certificate is renewed. */
  readonly listen?: TunnelAddress;
  /** Address for proxies, given the port that the landscape reports; undefined before it does. */
  readonly xds: (told: number | undefined) => HostPort;
  /** Maximum time between renewals, independent of the expiry: another root may sign by then. */
  readonly renewEveryMs: number;
  /** Polling interval of the roots. Default: that of the mesh. */
  readonly trustPollMs?: number;
  /** Prints a line: what the agent waits for and why, and lost or regained connections. */
  readonly tell: (line: string) => void;
  /**
   * Called once: landscape and control plane were reached, the certificate is written and the tunnel, if any, is open.
   */
  readonly onReady: (state: AgentState) => void;
}

const landscapeWords: ContactMessages = {
  waiting: 'Waiting for the landscape',
  lost: 'Lost contact with the landscape',
  regained: 'Regained contact with the landscape',
  failing: 'Cannot keep the certificate fresh',
  mended: 'The certificate is kept fresh again',
};

interface AgentParts {
  readonly files: AgentFiles;
  readonly signal: AbortSignal;
}

/** The tasks of an agent, in the order of their start; it waits for unreachable peers. */
export class MeshAgent implements AsyncDisposable {
  readonly #options: AgentOptions;
  readonly #files: AgentFiles;
  readonly #signal: AbortSignal;
  readonly #landscape: Contact;
  readonly #controlPlane: ControlPlaneContact;
  readonly #door: AgentTunnel | undefined;
  /** The port that the landscape last reported. */
  #xdsPort: number | undefined;

  constructor(options: AgentOptions, { files, signal }: AgentParts) {
    const { listen, tell } = options;
    const common = { address: () => this.#xds, files: files.read, tell };
    this.#options = options;
    this.#files = files;
    this.#signal = signal;
    this.#landscape = new Contact(landscapeWords, tell);
    this.#controlPlane = new ControlPlaneContact({ ...common, signal });
    const onFailure = (): void => this.#controlPlane.check();
    this.#door = listen && new AgentTunnel({ ...common, listen, onFailure });
  }

  /**
   * With a certificate of an earlier run the workload is served at once, even if the landscape rejects the agent by
   * now.
   */
  async connectLandscape(): Promise<AccountTrust> {
    const isPatient = this.#files.isGoodFor(this.#options);
    if (isPatient) await this.#door?.open();
    return this.#untilReached(() => this.#readTrust(this.#signal), isPatient);
  }

  async manageCertificate(): Promise<ManagedCertificate> {
    const { folder, mesh, trustPollMs } = this.#options;
    const { manageCertificate } = await loadMesh();
    const keep = (): Promise<ManagedCertificate> =>
      manageCertificate({
        folder,
        requestCertificate: async (csr, cancel) => {
          const signal = AbortSignal.any([cancel, this.#signal]);
          const signed = await requestCertificate(mesh, csr, { ...this.#options, signal });
          const { certificate: chain, trustBundle, trustVersion } = signed;
          const workloadChain = workloadChainOf(signed, this.#options);
          return { chain, trustBundle, trustVersion, ...(workloadChain !== undefined && { workloadChain }) };
        },
        trustVersion: async cancel => (await this.#readTrust(cancel)).trustVersion,
        ...(trustPollMs !== undefined && { trustPollMs }),
        onRenewed: () => this.#door?.followSigner(),
        onChecked: failure => this.#landscape.report(failure),
      });
    return this.#untilReached(keep);
  }

  /**
   * Resolves when the certificate is the requested one, the control plane is reached and the tunnel, if any, is open.
   */
  async openTunnelWhenReady(kept: ManagedCertificate): Promise<AgentState> {
    if (!this.#files.isFor(this.#options)) await this.#untilReached(() => kept.renew());
    const listen = await this.#door?.open();
    await this.#controlPlane.reach();
    return { ...(listen && { listen }), xds: this.#xds, notAfter: kept.notAfter };
  }

  /** A failed renewal is retried at the next interval: the current certificate may be valid for long. */
  async renew(kept: ManagedCertificate): Promise<void> {
    try {
      await kept.renew();
      this.#landscape.report();
    } catch (error) {
      if (!this.#signal.aborted) this.#landscape.report(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controlPlane[Symbol.dispose]();
    await this.#door?.[Symbol.asyncDispose]();
  }

  get #xds(): HostPort {
    return this.#options.xds(this.#xdsPort);
  }

  async #readTrust(signal: AbortSignal): Promise<AccountTrust> {
    const { mesh, account } = this.#options;
    const trust = await readTrust(mesh, account, signal);
    this.#xdsPort = trust.xdsPort;
    return trust;
  }

  #untilReached<T>(attempt: () => Promise<T>, isPatient = false): Promise<T> {
    return untilReached(this.#landscape, attempt, { signal: this.#signal, isPatient });
  }
}
