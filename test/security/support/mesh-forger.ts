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

/** What is special about a certificate. */
export interface Forgery {
  readonly identity?: Partial<ProxyIdentity>;
  /** When it was issued; it lasts an hour. Default: just now. */
  readonly now?: Date;
  /** Signed by a root of the forger's own. Default false. */
  readonly isForeign?: boolean;
}

/** Makes certificates that the landscape itself would not issue, with the key of its root or with another one. */
export type Forger = (forgery?: Forgery) => Required<TestTls>;

const hourMs = 3_600_000;
const web: ProxyIdentity = { trustDomain: 'cluster.local', tenant, cluster: tenant, namespace, serviceAccount: 'web' };

/** Takes the key of the first root from where only the operator can read it. */
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
