import { createHash } from 'node:crypto';
import { type MeshWorkloadCertificate, meshWorkloadCertificates } from '../../kinds/mesh-workload-certificate.ts';
import type { WorkloadIdentity } from '../../model/identity.ts';
import type { WorkloadCertificate } from '../../ports.ts';
import { issueLeaf } from '../leaf/issue-leaf.ts';
import type { Period } from '../leaf/renewal.ts';
import type { Root } from '../roots/trust.ts';

/** Who a workload is, whatever the trust domain: that of its certificate is the one of the root that signs it. */
export type Workload = Omit<WorkloadIdentity, 'trustDomain'>;

/** The name of the object that holds the certificate of a workload. */
export function certificateName({ tenant, cluster, namespace, serviceAccount }: Workload): string {
  const whole = JSON.stringify([tenant, cluster, namespace, serviceAccount]);
  return createHash('sha256').update(whole).digest('hex').slice(0, 40);
}

/** Who signs, and for how long. */
export interface IssueTerms {
  readonly root: Root;
  readonly now: Date;
  readonly ttlMs: number;
}

/** Makes the certificate of a workload, as it is stored. */
export function newCertificate(workload: Workload, { root, now, ttlMs }: IssueTerms): MeshWorkloadCertificate {
  const { tenant, cluster, namespace, serviceAccount } = workload;
  const identity = { trustDomain: root.trustDomain, tenant, cluster, namespace, serviceAccount };
  const issued = issueLeaf(identity, { authority: root.authority, now, ttlMs });
  return meshWorkloadCertificates.object(
    { name: certificateName(workload) },
    {
      tenant,
      cluster,
      namespace,
      serviceAccount,
      root: root.fingerprint,
      chain: issued.certificatePem,
      privateKey: issued.privateKeyPem,
      notBefore: issued.notBefore.toISOString(),
      notAfter: issued.notAfter.toISOString(),
    },
  );
}

/** As it is handed out. */
export const handedOut = ({ spec }: MeshWorkloadCertificate): WorkloadCertificate => ({
  chain: spec.chain,
  privateKey: spec.privateKey,
  notAfter: new Date(spec.notAfter),
});

export const periodOf = ({ spec }: MeshWorkloadCertificate): Period => ({
  notBefore: new Date(spec.notBefore),
  notAfter: new Date(spec.notAfter),
});
