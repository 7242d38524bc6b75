import type { KubeObject } from '@chandlery/api';
import { accessLabels } from '@chandlery/clusters';
import { accessRequests } from '@chandlery/clusters/kinds';
import { type BehaviourContext, onboardingCluster, platformCluster } from '@chandlery/kernel';
import { type Admission, admitRetained, isGrantedAccount } from '@chandlery/providers';
import { providerNames, type RetainedService, retainedServices } from '@chandlery/providers/kinds';
import { readStored } from './read-stored.ts';

const accounts = { group: '', version: 'v1', plural: 'serviceaccounts' };
const retainedResource = `${retainedServices.group}/${retainedServices.plural}`;

/** Decides about a write or deletion on the onboarding cluster: of RetainedServices, a provider touches its own alone. */
export async function admitRetainedWrite(
  object: KubeObject,
  context: BehaviourContext,
): Promise<Admission<KubeObject>> {
  const user = { ...context.write.user };
  if (context.target.resource.kind.resource !== retainedResource || !isGrantedAccount(user))
    return { type: 'allow', object };
  const manager = await managerOfAccount(context, user.username);
  return admitRetained({ retained: object as RetainedService, manager });
}

/** The provider that asked for an account, by way of the AccessRequest that the account names. */
async function managerOfAccount(context: BehaviourContext, username: string): Promise<string | undefined> {
  const [, , namespace = '', name = ''] = username.split(':');
  const account = await readStored(context, onboardingCluster, accounts, { namespace, name });
  const labels = account?.metadata.labels ?? {};
  const request = { namespace: labels[accessLabels.namespace] ?? '', name: labels[accessLabels.name] ?? '' };
  if (request.name === '') return undefined;
  const found = await readStored(context, platformCluster, accessRequests.ref, request);
  return found?.metadata.labels?.[providerNames.managedByLabel];
}
