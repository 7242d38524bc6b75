import type { KubeObject } from '@chandlery/api';
import { type AccessRequest, accessRequests } from '@chandlery/clusters/kinds';
import type { StatedCondition } from '@chandlery/runtime';
import type { ControlPlane } from '../../kinds/index.ts';
import type { Access } from '../../model/control-planes/accesses.ts';
import { identityOf } from '../../model/control-planes/control-plane-names.ts';
import { copiedSecret, desiredAccessRequest, isForeign } from '../../model/control-planes/control-plane-objects.ts';
import { planCopy } from '../../model/control-planes/copy-secret.ts';
import { accessRequestState } from '../../model/control-planes/request-state.ts';
import { refs } from '../../model/tenants/refs.ts';
import type { ClusterObjects } from '../../ports.ts';
import type { ControlPlaneDeps } from './control-plane-deps.ts';

type AccessOutcome = Omit<StatedCondition, 'type'>;

/** Requests one access and, once it is granted, copies its Secret to the tenant's namespace. */
export async function ensureOneAccess(
  controlPlane: ControlPlane,
  access: Access,
  { platform, onboarding }: ControlPlaneDeps,
): Promise<AccessOutcome> {
  const identity = identityOf(controlPlane);
  const namespace = identity.tenantNamespace;
  const at = { ...accessRequests.ref, namespace, name: access.requestName };
  const found = await platform.find<AccessRequest>(at);
  if (found !== undefined && isForeign(identity, found)) return foreign('AccessRequest', access.requestName);
  const isLeaving = found?.metadata.deletionTimestamp !== undefined;
  const request = isLeaving ? found : await platform.apply<AccessRequest>(desiredAccessRequest(identity, access));
  const state = accessRequestState(request);
  if (state.type === 'waiting') return { status: 'False', reason: state.reason, message: state.message };
  const source = await platform.find({ ...refs.secrets, namespace, name: state.value });
  if (source === undefined) return noSecret(`${namespace}/${state.value}`);
  const copy = copiedSecret(controlPlane, identity, access, source);
  return carryOut(onboarding, copy, existing => !isForeign(identity, existing));
}

async function carryOut(
  onboarding: ClusterObjects,
  copy: KubeObject,
  isOurs: (existing: KubeObject) => boolean,
): Promise<AccessOutcome> {
  const { name = '', namespace = '' } = copy.metadata;
  const ref = { ...refs.secrets, namespace };
  const existing = await onboarding.find({ ...ref, name });
  const plan = planCopy(copy, existing, existing !== undefined && isOurs(existing));
  switch (plan.type) {
    case 'foreign':
      return foreign('Secret', name);
    case 'create':
      await onboarding.create(ref, copy);
      break;
    case 'replace':
      await onboarding.replace({ ...ref, name }, plan.object);
      break;
    case 'recreate':
      if (existing !== undefined) await onboarding.remove(ref, existing);
      await onboarding.create(ref, copy);
      break;
    case 'nothing':
      break;
  }
  return { status: 'True', reason: 'AccessGranted' };
}

const foreign = (kind: string, name: string): AccessOutcome => ({
  status: 'False',
  reason: 'ConfigurationProblem',
  message: `${kind} "${name}" exists and is not ours, as its labels say; delete it, or rename the access.`,
});

const noSecret = (path: string): AccessOutcome => ({
  status: 'False',
  reason: 'WaitingForAccessRequest',
  message: `Secret "${path}" on the platform cluster, where the access should be, does not exist yet.`,
});
