import { formatTime, isError } from '@chandlery/api';
import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { MeshRootCertificate } from '../../kinds/mesh-root-certificate.ts';
import type { RootDeps } from './root-deps.ts';

const readyReasons = { active: 'Active', passive: 'Passive', inactive: 'Inactive' } as const;

/** Ensures that the root has a key, and publishes its certificate in the status. */
export async function publishRoot(
  root: MeshRootCertificate,
  deps: RootDeps,
  { now }: StepContext,
): Promise<StepResult> {
  try {
    const { authority, fingerprint } = await deps.ensureKey(root, now);
    const { certificatePem: certificate, notAfter } = authority;
    root.status = { ...root.status, certificate, fingerprint, notAfter: formatTime(notAfter) };
  } catch (error) {
    if (!isError(error, 'RootKeyLost', 'InvalidAuthority')) throw error;
    const message = `${error.message}. ${error.hint ?? ''}`.trim();
    setCondition(root, { type: 'Ready', status: 'False', reason: error.code, message }, now);
    return 'stop';
  }
  setCondition(root, { type: 'Ready', status: 'True', reason: readyReasons[root.spec.role] }, now);
  return 'continue';
}
