import { createPublicKey } from 'node:crypto';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueCertificate,
  readElements,
  signCertificate,
} from '@chandlery/platform';
import type { Script, ScriptedRequest } from './test-mesh-server.ts';

/** A certificate authority that certifies all requests. */
export interface TestSigner {
  /** Responds to certificate requests. */
  readonly script: Script;
  /** PEM of all roots so far, which are all trusted. */
  bundle(): string;
  /** Certifies a server on 127.0.0.1 by the present root. */
  serverCertificate(): { readonly cert: string; readonly key: string };
  /** Another root signs from now on. */
  rotate(): void;
  /** The reported port for proxies. Default: none, as by an older landscape. */
  xdsPort?: number;
}

const path = /^\/mesh\/v1\/clusters\/([^/]+)\/namespaces\/([^/]+)\/serviceaccounts\/([^/]+)\/(certificates|trust)$/;

/** Creates an authority with a root of its own, for a mesh with all clusters. */
export function createTestSigner(tenant = 't'): TestSigner {
  const roots: CertificateAuthority[] = [];
  const rotate = (): void =>
    void roots.unshift(createCertificateAuthority({ commonName: 'a root of the mesh', now: new Date() }));
  rotate();
  const present = (): CertificateAuthority => roots[0] as CertificateAuthority;
  const bundle = (): string => roots.map(({ certificatePem }) => certificatePem).join('');
  const signer: TestSigner = {
    rotate,
    bundle,
    serverCertificate: () => {
      const request = { ipAddresses: ['127.0.0.1'], usages: ['server' as const], now: new Date() };
      const { certificatePem: cert, privateKeyPem: key } = issueCertificate(present(), request);
      return { cert, key };
    },
    script: request => {
      const [, cluster, namespace, account, asked] = path.exec(request.path) ?? [];
      const trust = { trustBundle: bundle(), trustVersion: `${roots.length}`, tenant };
      if (asked === 'trust') return { body: { ...trust, xdsPort: signer.xdsPort } };
      if (request.method !== 'POST' || account === undefined) return undefined;
      const workload = `spiffe://cluster.local/tenant/${tenant}/cluster/${cluster}/ns/${namespace}/sa/${account}`;
      const { proxyId } = request.body;
      const spiffeId = typeof proxyId === 'string' ? `${workload}/proxy/${proxyId}` : workload;
      const ofWorkload =
        typeof proxyId === 'string' ? { workloadCertificate: sign(present(), request, workload).certificate } : {};
      return { status: 201, body: { ...sign(present(), request, spiffeId), ...ofWorkload, ...trust } };
    },
  };
  return signer;
}

function sign(authority: CertificateAuthority, { body }: ScriptedRequest, spiffeId: string) {
  const publicKey = publicKeyOf(String(body['csr']));
  const now = new Date();
  const { certificatePem: certificate, notAfter } = signCertificate(authority, {
    publicKey,
    uris: [spiffeId],
    usages: ['client', 'server'],
    now,
    notAfter: new Date(now.getTime() + Number(body['ttlSeconds'] ?? 86_400) * 1000),
  });
  return { certificate, notAfter: notAfter.toISOString(), spiffeId };
}

/** The third element of the signed part is the key. */
function publicKeyOf(csr: string) {
  const der = Buffer.from(csr.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const inside = (bytes: Buffer) => readElements(readElements(bytes)[0]?.contents ?? Buffer.alloc(0));
  const [signed] = inside(der);
  const [, , key] = inside(signed?.raw ?? Buffer.alloc(0));
  return createPublicKey({ key: key?.raw ?? Buffer.alloc(0), format: 'der', type: 'spki' });
}
