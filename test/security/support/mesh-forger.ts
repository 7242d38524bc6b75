import { createCertificateAuthority } from '@chandlery/platform';
import { issueLeaf } from '../../../domains/mesh/src/certificates/leaf/issue-leaf.ts';
import {
  meshNamespace,
  readRootSecret,
  rootSecretName,
} from '../../../domains/mesh/src/certificates/roots/root-secret.ts';
import type { ProxyIdentity } from '../../../domains/mesh/src/model/identity.ts';
import type { TestTls } from '../../../domains/mesh/src/test-xds-client/test-connect-xds.ts';
import { type MeshLandscape, namespace, tenant } from '../../conformance/xds/support/mesh-landscape.ts';

/** The peculiarity of a certificate. */
export interface Forgery {
  readonly identity?: Partial<ProxyIdentity>;
  /** Time of issue; it is valid for an hour. Default: now. */
  readonly now?: Date;
  /** Signed by a foreign root. Default false. */
  readonly isForeign?: boolean;
}

/** Issues certificates that the landscape would not issue, with the key of its root or a foreign one. */
export type Forger = (forgery?: Forgery) => Required<TestTls>;

const hourMs = 3_600_000;
const web: ProxyIdentity = { trustDomain: 'cluster.local', tenant, cluster: tenant, namespace, serviceAccount: 'web' };

/** Reads the key of the first root, which only the operator can. */
export async function startForger(mesh: MeshLandscape): Promise<Forger> {
  const { ca } = await mesh.certificate({ account: 'web' });
  const path = `/clusters/platform/api/v1/namespaces/${meshNamespace}/secrets/${rootSecretName('root-1')}`;
  const { authority: root } = readRootSecret((await mesh.landscape.request(path)).json());
  const foreign = createCertificateAuthority({ commonName: 'root-1.cluster.local', now: new Date() });
  return ({ identity = {}, now = new Date(), isForeign = false } = {}) => {
    const authority = isForeign ? foreign : root;
    const issued = issueLeaf({ ...web, ...identity }, { authority, now, ttlMs: hourMs });
    return { ca, cert: issued.certificatePem, key: issued.privateKeyPem };
  };
}
