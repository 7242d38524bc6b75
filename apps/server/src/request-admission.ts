import type { KubeObject } from '@chandlery/api';
import { accessRequests, clusterRequests, systemNamespace } from '@chandlery/clusters/kinds';
import { type BehaviourContext, platformCluster } from '@chandlery/kernel';
import { type Admission, admitRequest } from '@chandlery/providers';
import { accessRecords, clusterProviders, providerNames } from '@chandlery/providers/kinds';
import { readStored } from './read-stored.ts';

const accounts = { group: '', version: 'v1', plural: 'serviceaccounts' };
const accountPrefix = `system:serviceaccount:${systemNamespace}:`;
const guarded: ReadonlySet<string> = new Set(
  [accessRequests, clusterRequests, accessRecords].map(({ group, plural }) => `${group}/${plural}`),
);

/** Decides about a write or deletion on the platform cluster: of requests and records of access, a provider touches its own alone. */
export async function admitRequestWrite(
  object: KubeObject | undefined,
  live: KubeObject | undefined,
  context: BehaviourContext,
): Promise<Admission<KubeObject>> {
  const { username } = context.write.user;
  const subject = (object ?? live) as KubeObject;
  if (!guarded.has(context.target.resource.kind.resource) || !username.startsWith(accountPrefix))
    return { type: 'allow', object: subject };
  const provider = await providerOfAccount(context, username.slice(accountPrefix.length));
  return provider === undefined ? { type: 'allow', object: subject } : admitRequest({ object, live, provider });
}

/** The provider that an account was made for; undefined for other accounts, and for cluster providers, which serve the requests of all. */
async function providerOfAccount(context: BehaviourContext, name: string): Promise<string | undefined> {
  const account = await readStored(context, platformCluster, accounts, { namespace: systemNamespace, name });
  const annotations = account?.metadata.annotations ?? {};
  const isClusterProvider = annotations[providerNames.providerKindAnnotation] === clusterProviders.kind;
  return isClusterProvider ? undefined : annotations[providerNames.providerNameAnnotation];
}
