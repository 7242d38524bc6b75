import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Clock, systemClock } from '@chandlery/platform';
import type { MeshAuthority, ServerCertificate } from '../ports.ts';
import { readCsr } from './csr/read-csr.ts';
import { issueServerLeaf, signLeaf } from './leaf/issue-leaf.ts';
import { renewalTime } from './leaf/renewal.ts';
import { ensureFirstRoot } from './roots/ensure-first-root.ts';
import type { Root, Trust } from './roots/trust.ts';
import { type RootCache, watchRoots } from './roots/watch-roots.ts';

export interface AuthorityOptions {
  /** Client of the platform cluster. Not disposed of. */
  readonly client: Client;
  /** Trust domain of the first root, if this call creates it. Default `cluster.local`. */
  readonly trustDomain?: string;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Called with background errors that are retried. Default: not called. */
  readonly onError?: (error: ChandleryError) => void;
}

type Listener = Parameters<MeshAuthority['subscribe']>[0];

const hourMs = 60 * 60 * 1000;
const proxyTtl = { defaultMs: 24 * hourMs, minMs: 60_000, maxMs: 7 * 24 * hourMs };

/**
 * Starts the certificate authority of the mesh in this process. Creates the first root of a new landscape. Throws
 * `NoSigningRoot` when roots exist and none of them can sign.
 */
export async function createAuthority(options: AuthorityOptions): Promise<MeshAuthority> {
  const { client, trustDomain = 'cluster.local', clock = systemClock, onError = () => undefined } = options;
  await ensureFirstRoot({ client, trustDomain, now: clock.now() });
  await using stack = new AsyncDisposableStack();
  const roots = stack.use(watchRoots({ client, onError }));
  await roots.synced;
  signerOf(roots.trust);
  const listeners = new Set<Listener>();
  roots.onChange(() => {
    for (const listener of [...listeners]) listener();
  });
  return new RunningAuthority({ roots, listeners, clock, parts: stack.move() });
}

interface AuthorityParts {
  readonly roots: RootCache;
  readonly listeners: Set<Listener>;
  readonly clock: Clock;
  readonly parts: AsyncDisposableStack;
}

class RunningAuthority implements MeshAuthority {
  readonly #authority: AuthorityParts;
  readonly #serverCertificates: (names: readonly string[]) => ServerCertificate;

  constructor(parts: AuthorityParts) {
    this.#authority = parts;
    this.#serverCertificates = createServerCertificates(() => signerOf(parts.roots.trust), parts.clock);
  }

  get trustDomain(): string {
    return signerOf(this.#authority.roots.trust).trustDomain;
  }

  get trustDomains(): readonly string[] {
    return this.#authority.roots.trust.domains;
  }

  get signerFingerprint(): string | undefined {
    return this.#authority.roots.trust.signer?.fingerprint;
  }

  get trustBundle(): string {
    return this.#authority.roots.trust.bundle;
  }

  get trustVersion(): string {
    return this.#authority.roots.trust.version;
  }

  sign({ csr, identity, ttlMs = proxyTtl.defaultMs }: Parameters<MeshAuthority['sign']>[0]): {
    readonly chain: string;
    readonly notAfter: Date;
  } {
    const { authority, trustDomain } = signerOf(this.#authority.roots.trust);
    const terms = { authority, now: this.#authority.clock.now(), ttlMs: withinBounds(ttlMs) };
    const signed = signLeaf({ ...identity, trustDomain }, { ...terms, publicKey: readCsr(csr) });
    return { chain: signed.certificatePem, notAfter: signed.notAfter };
  }

  serverCertificate(names: readonly string[]): ServerCertificate {
    return this.#serverCertificates(names);
  }

  subscribe(listener: Listener): () => void {
    // A new function for each subscription, so that the same listener can be added twice.
    const own: Listener = () => listener();
    this.#authority.listeners.add(own);
    return () => void this.#authority.listeners.delete(own);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#authority.parts.disposeAsync();
  }
}

const withinBounds = (ttlMs: number): number => Math.min(Math.max(ttlMs, proxyTtl.minMs), proxyTtl.maxMs);

/** The signing root. Throws `NoSigningRoot`. */
function signerOf({ signer }: Trust): Root {
  if (signer !== undefined) return signer;
  throw new ChandleryError('NoSigningRoot', 'no active root of the mesh has a key, so that nothing can be certified', {
    hint: 'See the conditions of the MeshRootCertificates; restore the key of an active one or make another one active.',
  });
}

const serverCertificateTtlMs = 24 * 60 * 60 * 1000;

interface KnownCertificate {
  readonly certificate: ServerCertificate;
  readonly root: string;
  readonly renewAt: Date;
}

/**
 * Server certificates of the control plane, one per replica and list of names. A certificate is cached until it is due
 * for renewal or another root signs.
 */
function createServerCertificates(signer: () => Root, clock: Clock): (names: readonly string[]) => ServerCertificate {
  const known = new Map<string, KnownCertificate>();
  return names => {
    const key = JSON.stringify(names);
    const root = signer();
    const now = clock.now();
    const present = known.get(key);
    if (present?.root === root.fingerprint && now < present.renewAt) return present.certificate;
    const issued = issueServerLeaf(names, { authority: root.authority, now, ttlMs: serverCertificateTtlMs });
    const { certificatePem: chain, privateKeyPem: privateKey, notAfter } = issued;
    const certificate = { chain, privateKey, notAfter };
    known.set(key, { certificate, root: root.fingerprint, renewAt: renewalTime(issued, 0) });
    return certificate;
  };
}
