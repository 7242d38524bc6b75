import type { KubeObject } from '@chandlery/api';
import type { PodObject } from '../../model/workloads/objects.ts';
import { sourceNames, valuesOf } from '../../model/workloads/pod-sources.ts';
import type { PodSources } from '../../ports.ts';
import type { WorkloadCaches } from './workload-caches.ts';

export type SourceKind = 'secrets' | 'configMaps';

/** The key of a Secret or ConfigMap among the sources of pods. */
export const sourceKey = (kind: SourceKind, { namespace, name }: KubeObject['metadata']): string =>
  `${kind}/${namespace}/${name}`;

/** Everything that a pod refers to, existing or not. */
export function sourceKeys({ spec, metadata: { namespace = '' } }: PodObject): readonly string[] {
  const { secrets, configMaps } = sourceNames(spec);
  return [
    ...secrets.map(name => sourceKey('secrets', { namespace, name })),
    ...configMaps.map(name => sourceKey('configMaps', { namespace, name })),
  ];
}

/** The values of a pod's references, and a version that changes with them. */
export function findSources(
  { secrets, configMaps }: Pick<WorkloadCaches, SourceKind>,
  { spec, metadata }: PodObject,
): { readonly sources: PodSources; readonly version: unknown } {
  const names = sourceNames(spec);
  const found = {
    secrets: names.secrets.flatMap(name => secrets.get(metadata.namespace, name) ?? []),
    configMaps: names.configMaps.flatMap(name => configMaps.get(metadata.namespace, name) ?? []),
  };
  return {
    sources: { secrets: valuesByName(found.secrets), configMaps: valuesByName(found.configMaps) },
    version: [found.secrets.map(versionOf), found.configMaps.map(versionOf)],
  };
}

const valuesByName = (objects: readonly KubeObject[]): PodSources['secrets'] =>
  Object.fromEntries(objects.map(object => [object.metadata.name ?? '', valuesOf(object)]));

const versionOf = ({ metadata }: KubeObject): readonly unknown[] => [metadata.uid, metadata.resourceVersion];

/** The service account's default for the files of pods. */
export function hasAccount({ serviceAccounts }: WorkloadCaches, { spec, metadata }: PodObject): boolean {
  const account = serviceAccounts.get(metadata.namespace, spec?.serviceAccountName ?? 'default');
  return account?.['automountServiceAccountToken'] !== false;
}
