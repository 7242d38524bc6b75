import { type AccessRequest, accessRequests } from '@chandlery/clusters/kinds';
import type { ControlPlane } from '../../kinds/index.ts';
import type { Access } from '../../model/control-planes/accesses.ts';
import { identityOf, managedLabels } from '../../model/control-planes/control-plane-names.ts';
import { refs } from '../../model/tenants/refs.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';

/** Deletes access requests, and their Secrets, that are not in the list; returns the requests that still exist. */
export async function removeUnwanted(
  controlPlane: ControlPlane,
  wanted: readonly Access[],
  { platform, onboarding }: ControlPlaneDeps,
): Promise<readonly AccessRequest[]> {
  const identity = identityOf(controlPlane);
  const labels = managedLabels(identity);
  const keptSecrets = new Set(wanted.map(({ secretName }) => secretName));
  for (const secret of await onboarding.list({ ...refs.secrets, namespace: identity.namespace }, labels)) {
    if (!keptSecrets.has(secret.metadata.name ?? '')) await onboarding.remove(refs.secrets, secret);
  }
  const keptRequests = new Set(wanted.map(({ requestName }) => requestName));
  const at = { ...accessRequests.ref, namespace: identity.tenantNamespace };
  const requests = await platform.list<AccessRequest>(at, labels);
  const unwanted = requests.filter(({ metadata }) => !keptRequests.has(metadata.name ?? ''));
  for (const request of unwanted) await platform.remove(accessRequests.ref, request);
  return unwanted;
}
