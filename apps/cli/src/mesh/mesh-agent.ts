import type { ManagedCertificate, TunnelAddress } from '@chandlery/mesh/agent';
import type { HostPort } from './addresses.ts';
import type { AgentFiles } from './agent-files.ts';
import { Contact, type ContactWords } from './contact.ts';
import { ControlPlaneContact } from './control-plane-contact.ts';
import type { MeshClient } from './mesh-client.ts';
import { loadMesh } from './mesh-module.ts';
import {
  type AccountTrust,
  askTrust,
  type CertificateWish,
  requestCertificate,
  workloadChainOf,
} from './request-certificate.ts';
import { TunnelDoor } from './tunnel-door.ts';
import { untilReached } from './until-reached.ts';

/** What is promised when an agent is ready. */
export interface AgentState {
  /** Where clients of this machine connect. Undefined: nowhere, as an Envoy connects by itself. */
  readonly listen?: TunnelAddress;
  /** Where proxies connect. */
  readonly xds: HostPort;
  /** How long the certificate is good. */
  readonly notAfter: Date;
}

/** What an agent does, and for whom. */
export interface AgentOptions extends CertificateWish {
  readonly mesh: MeshClient;
  /** Where the certificate is kept. */
  readonly folder: string;
  /** Where clients of this machine connect. Default: nowhere; the certificate is only kept fresh. */
  readonly listen?: TunnelAddress;
  /** Where proxies connect, given the port that the landscape names; undefined while it has not named any. */
  readonly xds: (told: number | undefined) => HostPort;
  /** However fresh the certificate is, another one is asked for so often: it may be another root's turn. */
  readonly renewEveryMs: number;
  /** How often the roots are asked for. Default: as often as the mesh finds right. */
  readonly trustPollMs?: number;
  /** Takes lines for people: what the agent waits for and why, which contact it has lost or regained. */
  readonly tell: (line: string) => void;
  /** Called once: landscape and control plane were reached, the certificate is there and the tunnel, if any, open. */
  readonly onReady: (state: AgentState) => void;
}

const landscapeWords: ContactWords = {
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

/** What an agent does, in the order in which it begins; it waits for whoever is away. */
export class MeshAgent implements AsyncDisposable {
  readonly #options: AgentOptions;
  readonly #files: AgentFiles;
  readonly #signal: AbortSignal;
  readonly #landscape: Contact;
  readonly #controlPlane: ControlPlaneContact;
  readonly #door: TunnelDoor | undefined;
  /** The port that the landscape named last. */
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
    this.#door = listen && new TunnelDoor({ ...common, listen, onFailure });
  }

  /** With a certificate of an earlier run the workload is served at once, whatever the landscape says to us by now. */
  async beginWithLandscape(): Promise<AccountTrust> {
    const isPatient = this.#files.isGoodFor(this.#options);
    if (isPatient) await this.#door?.open();
    return this.#untilReached(() => this.#askTrust(this.#signal), isPatient);
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
        trustVersion: async cancel => (await this.#askTrust(cancel)).trustVersion,
        ...(trustPollMs !== undefined && { trustPollMs }),
        onRenewed: () => this.#door?.followSigner(),
        onChecked: failure => this.#landscape.report(failure),
      });
    return this.#untilReached(keep);
  }

  /** Resolves when the certificate is the one that is wanted, the control plane is reached and the tunnel, if any, open. */
  async beginToCarry(kept: ManagedCertificate): Promise<AgentState> {
    if (!this.#files.isFor(this.#options)) await this.#untilReached(() => kept.renew());
    const listen = await this.#door?.open();
    await this.#controlPlane.reach();
    return { ...(listen && { listen }), xds: this.#xds, notAfter: kept.notAfter };
  }

  /** What fails is tried again the next time: the certificate of the moment may be good for long. */
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

  async #askTrust(signal: AbortSignal): Promise<AccountTrust> {
    const { mesh, account } = this.#options;
    const trust = await askTrust(mesh, account, signal);
    this.#xdsPort = trust.xdsPort;
    return trust;
  }

  #untilReached<T>(attempt: () => Promise<T>, isPatient = false): Promise<T> {
    return untilReached(this.#landscape, attempt, { signal: this.#signal, isPatient });
  }
}
