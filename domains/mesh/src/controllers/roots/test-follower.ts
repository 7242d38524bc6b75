import { X509Certificate } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import { createCsr } from '../../certificates/csr/create-csr.ts';
import { createPeerVerifier } from '../../certificates/verify-peer.ts';
import type { WorkloadIdentity } from '../../model/identity.ts';
import type { MeshAuthority, ProxyAcknowledgements } from '../../ports.ts';

/** The credentials of a proxy. */
interface Taken {
  readonly trustVersion: string;
  readonly bundle: string;
  readonly chain: string;
  readonly privateKey: string;
  /** The certificate that authenticates it to the control plane. */
  readonly ownCertificate: X509Certificate;
}

/** A proxy that applies the trust of its replica only when the test says so. */
export class Follower {
  readonly name: string;
  readonly #authority: MeshAuthority;
  readonly #identity: WorkloadIdentity;
  #taken: Taken | undefined;

  constructor(authority: MeshAuthority, identity: WorkloadIdentity) {
    this.name = identity.serviceAccount;
    this.#authority = authority;
    this.#identity = identity;
  }

  follow(): void {
    const { trustVersion, trustBundle: bundle } = this.#authority;
    const { csr, privateKey } = createCsr();
    const { chain } = this.#authority.sign({ csr, identity: this.#identity });
    const own = this.#authority.sign({ csr, identity: { ...this.#identity, proxyId: this.name } });
    this.#taken = { trustVersion, bundle, chain, privateKey, ownCertificate: new X509Certificate(own.chain) };
  }

  /** TLS context of its inbound and outbound connections. */
  get context(): SecureContextOptions {
    const { chain: cert, privateKey: key, bundle: ca } = this.#known();
    return { cert, key, ca };
  }

  /** Whether it has applied the current trust. */
  hasFollowed(trustVersion: string): boolean {
    return this.#known().trustVersion === trustVersion;
  }

  /** The root that certified it; undefined when it is not trusted. */
  get rootFingerprint(): string | undefined {
    const verdict = createPeerVerifier(this.#authority)({ leaf: this.#known().ownCertificate });
    return verdict.type === 'known' ? verdict.rootFingerprint : undefined;
  }

  #known(): Taken {
    if (this.#taken === undefined) throw new Error(`${this.name} has not followed yet`);
    return this.#taken;
  }
}

/** The acknowledgements of followers. */
export const acknowledgementsOf = (followers: readonly Follower[]): ProxyAcknowledgements => ({
  async haveAllAcknowledged(trustVersion) {
    const behind = followers.filter(follower => !follower.hasFollowed(trustVersion));
    return { done: behind.length === 0, waitingFor: behind.map(({ name }) => name).sort() };
  },
  async listCertifiedBy(fingerprint) {
    return followers.filter(({ rootFingerprint }) => rootFingerprint === fingerprint).map(({ name }) => name);
  },
});
