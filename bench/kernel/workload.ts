/** The requests that the load consists of: ConfigMaps of 1 KB with two labels. */
const onboarding = '/clusters/onboarding/api/v1/namespaces';
const logicalClusters = '/clusters/platform/apis/core.chandlery.io/v1alpha1/logicalclusters';
const objectBytes = 1024;

export const namespacePath = onboarding;
export const itemsPath = `${onboarding}/items/configmaps`;
export const watchedPath = `${onboarding}/watched/configmaps`;

/** Names in no particular order, so that neighbours in time are not neighbours in the store. */
export const itemName = (index: number): string => `item-${((index * 48_271) % 2_147_483_647).toString(36)}`;

/** Each group holds `matching` objects, spread over the whole collection. */
export const groupOf = (index: number, matching: number): string => `g${Math.floor(index / matching)}`;

export function itemBody(name: string, group: string): string {
  const body = (value: string): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels: { group, tier: 'bench' } },
      data: { value },
    });
  return body('x'.repeat(Math.max(0, objectBytes - body('').length)));
}

export const clusterName = (index: number): string => `bench-${index}`;
export const clustersPath = logicalClusters;
export const clusterBody = (index: number): string =>
  JSON.stringify({
    apiVersion: 'core.chandlery.io/v1alpha1',
    kind: 'LogicalCluster',
    metadata: { name: clusterName(index) },
  });
export const insideCluster = (index: number): string =>
  `/clusters/${clusterName(index)}/api/v1/namespaces/default/serviceaccounts/default`;
export const namespaceBody = (name: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
