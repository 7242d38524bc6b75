import { X509Certificate } from 'node:crypto';
import { type CertificateAuthority, createCertificateAuthority } from '@chandlery/platform';
import { issueLeaf, issueServerLeaf } from '../certificates/leaf/issue-leaf.ts';
import { fingerprintOf } from '../certificates/roots/fingerprint.ts';
import type { ProxyIdentity } from '../model/identity.ts';
import type { MeshAuthority, ServerCertificate } from '../ports.ts';

type Listener = Parameters<MeshAuthority['subscribe']>[0];

/** A client certificate. PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

interface IssueOptions {
  readonly now?: Date;
  readonly ttlMs?: number;
}

const hourMs = 60 * 60 * 1000;

/** A root with its authority. */
export class TestRoot {
  readonly signer: CertificateAuthority = createCertificateAuthority({ commonName: 'root', now: new Date() });

  /** Issues a certificate of a workload or proxy. Default: valid for an hour. */
  issue(identity: ProxyIdentity, { now = new Date(), ttlMs = hourMs }: IssueOptions = {}): ClientCertificate {
    const issued = issueLeaf(identity, { authority: this.signer, now, ttlMs });
    return { cert: issued.certificatePem, key: issued.privateKeyPem };
  }
}

/** An authority with replaceable roots. The last root signs. */
export class TestMeshAuthority implements MeshAuthority {
  readonly trustDomain = 'cluster.local';
  readonly trustDomains = ['cluster.local'];
  roots: readonly TestRoot[] = [new TestRoot()];
  #server: ServerCertificate | undefined;
  readonly #listeners = new Set<Listener>();

  get signerFingerprint(): string | undefined {
    const signer = this.roots.at(-1)?.signer;
    return signer && fingerprintOf(new X509Certificate(signer.certificatePem));
  }

  get trustBundle(): string {
    return this.roots.map(({ signer }) => signer.certificatePem).join('');
  }

  get trustVersion(): string {
    return this.trustBundle;
  }

  get root(): TestRoot {
    return this.roots.at(-1) ?? fail();
  }

  /** Replaces the roots and notifies all subscribers. */
  setRoots(roots: readonly TestRoot[]): void {
    this.roots = roots;
    this.#server = undefined;
    for (const listener of this.#listeners) listener();
  }

  /** Renews the server certificate without a notification. */
  renewServerCertificate(): void {
    this.#server = undefined;
  }

  serverCertificate(names: readonly string[]): ServerCertificate {
    this.#server ??= this.#issueServer(names);
    return this.#server;
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  sign(): never {
    return fail();
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #issueServer(names: readonly string[]): ServerCertificate {
    const issued = issueServerLeaf(names, { authority: this.root.signer, now: new Date(), ttlMs: hourMs });
    return { chain: issued.certificatePem, privateKey: issued.privateKeyPem, notAfter: issued.notAfter };
  }
}

function fail(): never {
  throw new Error('nobody asks this authority for that');
}
