import type { DiscoveryGroup, DiscoveryGroups, DiscoveryVersion } from './discovery-groups.ts';
import type { ServedResource } from './served-resource.ts';

/** The versions of `apidiscovery.k8s.io` that are spoken; their documents differ in nothing but the name. */
export type AggregatedVersion = 'v2' | 'v2beta1';

/** The content type under which clients recognise an aggregated document. */
export const aggregatedContentType = (version: AggregatedVersion): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

/** All groups of `/api` (the core group) or of `/apis` (all others) in one document. */
export function aggregatedDiscovery(
  catalogue: DiscoveryGroups,
  root: '/api' | '/apis',
  version: AggregatedVersion,
): object {
  const groups = catalogue.filter(({ name }) => (name === '') === (root === '/api'));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(groupDiscovery),
  };
}

const groupDiscovery = ({ name, versions }: DiscoveryGroup): object => ({
  metadata: { name },
  versions: versions.map(versionDiscovery),
});

const versionDiscovery = ({ version, resources }: DiscoveryVersion): object => ({
  version,
  resources: resources.map(resourceDiscovery),
  freshness: 'Current',
});

function resourceDiscovery(resource: ServedResource): object {
  const { group, version, kind, shortNames, categories, subresources } = resource;
  return {
    resource: resource.plural,
    responseKind: { group, version, kind },
    scope: resource.isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map(({ name, responseKind, verbs }) => ({ subresource: name, responseKind, verbs })),
    }),
  };
}
