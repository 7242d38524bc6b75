import type { StepContext, StepResult } from '@chandlery/runtime';
import type { MeshRootCertificate } from '../../kinds/mesh-root-certificate.ts';
import type { RootNeeds } from './root-needs.ts';

/** Gives the workloads of a root that does not sign any more certificates of the one that does. */
export async function recertifyWorkloads(
  { status }: MeshRootCertificate,
  needs: RootNeeds,
  { now }: StepContext,
): Promise<StepResult> {
  const fingerprint = status?.fingerprint;
  const signer = needs.trust().signer;
  if (fingerprint === undefined || signer === undefined || signer.fingerprint === fingerprint) return 'continue';
  if (needs.countCertifiedBy(fingerprint) > 0) await needs.recertify(fingerprint, now);
  return 'continue';
}
