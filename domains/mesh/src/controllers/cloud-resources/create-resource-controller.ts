import { apply, type Controller, controllerKeys, createController, ignoreNotFound, keyOf } from '@chandlery/runtime';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import { type EndpointSet, endpointSets } from '../../kinds/endpoint-set.ts';
import type { AccountView } from '../../model/clouds/plan-resource.ts';
import { resourceOfSetName } from '../../model/clouds/set-names.ts';
import type { Cloud } from '../../ports/clouds.ts';
import { type AccountStates, accountIdOf } from '../cloud-accounts/account-states.ts';
import { type CloudCaches, type ResourceCache, resourcesOf } from '../cloud-accounts/cloud-caches.ts';
import type { CloudControllersOptions } from '../cloud-accounts/start-cloud-controllers.ts';
import type { CloudResourceDeps } from './cloud-resource-deps.ts';
import { publishEndpoints } from './publish-endpoints.ts';
import { reportResource } from './report-resource.ts';
import { viewAccount } from './view-account.ts';

const fieldManager = 'mesh-clouds';

export interface ResourceControllerOptions extends CloudControllersOptions {
  readonly caches: CloudCaches;
  readonly kind: ResourceCache;
  readonly states: AccountStates;
}

/** Creates the controller that maintains the EndpointSets of the resources of one cloud. */
export function createResourceController(options: ResourceControllerOptions): Controller {
  const { client, caches, kind, states } = options;
  const { cloud, resources } = kind;
  const { accounts, sets } = caches;
  return createController<CloudResource, CloudResourceDeps>({
    ...options,
    name: cloud.resources.plural,
    for: { ref: cloud.resources.ref, informer: resources },
    owns: [{ informer: sets, mapToKeys: (set: EndpointSet) => keysOfSet(set, cloud) }],
    watches: [{ informer: accounts, mapToKeys: (account: CloudAccount) => resourcesOf(kind, account).map(keyOf) }],
    steps: [publishEndpoints, reportResource],
    needs: () => ({
      cloud: cloud.name,
      viewAccount: viewOnce(resource => {
        const account = accounts.get(resource.metadata.namespace, resource.spec.account);
        const state = account && states.get(account.metadata.uid ?? '', accountIdOf(cloud, account.spec));
        return viewAccount({ cloud, resource, account, state });
      }),
      findSet: (namespace, name) => sets.get(namespace, name),
      setsOf: owner => caches.setsOf(owner),
      putSet: async (object, signal) => {
        await apply(client, fieldManager, [{ plural: endpointSets.plural, object }], { signal });
      },
      deleteSet: async (namespace, name, signal) => {
        await client.delete({ ...endpointSets.ref, namespace, name }, { signal }).catch(ignoreNotFound);
      },
    }),
  });
}

/** The resource that controls a set, or that cannot have one as long as this one, of another owner, has its name. */
function keysOfSet(set: EndpointSet, { name: cloud, resources }: Cloud): string[] {
  const owners = controllerKeys(set, resources);
  const { name = '', namespace } = set.metadata;
  const named = owners.length === 0 ? resourceOfSetName(cloud, name) : undefined;
  return named === undefined ? owners : [`${namespace}/${named}`];
}

/** What is published is reported: a reconcile looks at the account once. */
function viewOnce(look: (resource: CloudResource) => AccountView): (resource: CloudResource) => AccountView {
  let view: AccountView | undefined;
  return resource => {
    view ??= look(resource);
    return view;
  };
}
