import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { controllerOf, createInformer, type Informer, keyOf, withoutManagedFields } from '@chandlery/runtime';
import { type CloudAccount, cloudAccounts } from '../../kinds/clouds/cloud-account.ts';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import { type EndpointSet, endpointSets } from '../../kinds/endpoint-set.ts';
import type { Cloud } from '../../ports/clouds.ts';
import { type SecretMetadata, secretMetadata, secretsRef } from './read-secret.ts';

/** The resources of one cloud. */
export interface ResourceCache {
  readonly cloud: Cloud;
  readonly resources: Informer<CloudResource>;
}

/** What the controllers of cloud accounts read of a cluster. */
export interface CloudCaches extends AsyncDisposable {
  readonly accounts: Informer<CloudAccount>;
  readonly sets: Informer<EndpointSet>;
  readonly secrets: Informer<SecretMetadata>;
  readonly kinds: readonly ResourceCache[];
  /** The cloud that an account names, with its resources. */
  kindOf(account: CloudAccount): ResourceCache | undefined;
  /** The accounts that use a Secret. */
  accountsOf(secret: SecretMetadata): readonly CloudAccount[];
  /** The sets that an owner controls. */
  setsOf(owner: KubeObject): readonly EndpointSet[];
}

const accountIndex = 'account';
const ownerIndex = 'owner';
const secretIndex = 'secret';

/** `namespace/name` of the account of a resource. */
export const accountKeyOf = ({ metadata, spec }: CloudResource): string => `${metadata.namespace}/${spec.account}`;

/** The resources of an account, in the order of their names. */
export const resourcesOf = ({ resources }: ResourceCache, account: CloudAccount): readonly CloudResource[] =>
  resources.byIndex(accountIndex, keyOf(account)).toSorted(byName);

/** Creates the informers; controllers start them. */
export function createCloudCaches(client: Client, clouds: readonly Cloud[]): CloudCaches {
  const stack = new AsyncDisposableStack();
  const transform = withoutManagedFields;
  const accounts = stack.use(
    createInformer<CloudAccount>({
      client,
      ref: cloudAccounts.ref,
      transform,
      indexes: { [secretIndex]: secretKeyOf },
    }),
  );
  const indexes = { [ownerIndex]: (set: EndpointSet) => [controllerOf(set)?.uid ?? ''] };
  const sets = stack.use(createInformer<EndpointSet>({ client, ref: endpointSets.ref, transform, indexes }));
  const secrets = stack.use(createInformer<SecretMetadata>({ client, ref: secretsRef, transform: secretMetadata }));
  const kinds = clouds.map(cloud => ({ cloud, resources: stack.use(createResourceCache(client, cloud)) }));
  return {
    ...{ accounts, sets, secrets, kinds },
    kindOf: ({ spec }) => kinds.find(({ cloud }) => cloud.accountId(spec) !== undefined),
    accountsOf: secret => accounts.byIndex(secretIndex, keyOf(secret)),
    setsOf: ({ metadata: { uid = 'none' } }) => sets.byIndex(ownerIndex, uid),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const createResourceCache = (client: Client, { resources }: Cloud): Informer<CloudResource> =>
  createInformer<CloudResource>({
    client,
    ref: resources.ref,
    transform: withoutManagedFields,
    indexes: { [accountIndex]: resource => [accountKeyOf(resource)] },
  });

const secretKeyOf = ({ metadata, spec: { credentialsSecret } }: CloudAccount): readonly string[] =>
  credentialsSecret === undefined ? [] : [`${metadata.namespace}/${credentialsSecret}`];

const byName = (a: CloudResource, b: CloudResource): number =>
  (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
