import { formatApiVersion } from '@chandlery/api';
import type { DiscoveryGroup, DiscoveryGroups, DiscoveryVersion } from './discovery-groups.ts';
import type { ServedResource, ServedSubresource } from './served-resource.ts';

/** `/api`: the versions of the core group. */
export const apiVersions = (catalogue: DiscoveryGroups): object => ({
  kind: 'APIVersions',
  versions: catalogue.find(({ name }) => name === '')?.versions.map(({ version }) => version) ?? [],
  serverAddressByClientCIDRs: [],
});

/** `/apis`: all groups but the core group. */
export const apiGroupList = (catalogue: DiscoveryGroups): object => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: catalogue.filter(({ name }) => name !== '').map(groupEntry),
});

/** `/apis/<group>`. */
export const apiGroup = (group: DiscoveryGroup): object => ({
  kind: 'APIGroup',
  apiVersion: 'v1',
  ...groupEntry(group),
});

/** `/api/v1` and `/apis/<group>/<version>`. */
export const apiResourceList = ({ group, version, resources }: DiscoveryVersion): object => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: formatApiVersion({ group, version }),
  resources: resources.flatMap(resource => [
    resourceEntry(resource),
    ...resource.subresources.map(part => subresourceEntry(resource, part)),
  ]),
});

function groupEntry({ name, versions }: DiscoveryGroup): object {
  const entries = versions.map(({ version }) => ({
    groupVersion: formatApiVersion({ group: name, version }),
    version,
  }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

function resourceEntry({
  plural,
  singular,
  isNamespaced,
  kind,
  verbs,
  shortNames,
  categories,
}: ServedResource): object {
  return {
    name: plural,
    singularName: singular,
    namespaced: isNamespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
}

function subresourceEntry(parent: ServedResource, { name, responseKind, verbs }: ServedSubresource): object {
  const { group, version, kind } = responseKind;
  const isForeign = group !== parent.group || version !== parent.version;
  return {
    name: `${parent.plural}/${name}`,
    singularName: '',
    namespaced: parent.isNamespaced,
    ...(isForeign && { group, version }),
    kind,
    verbs,
  };
}
