import type { GroupVersionKind, KubeObject } from '@chandlery/api';
import type { Provider } from '../../kinds/index.ts';
import { isReserved, resourcesOf } from '../operator/own-kinds.ts';

/** A kind whose objects can be listed in a namespace. */
export interface ServedKind extends GroupVersionKind {
  readonly plural: string;
}

/** The cached part of a CustomResourceDefinition. */
export interface KindNames extends KubeObject {
  readonly group: string;
  readonly kindName: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly isEstablished: boolean;
  /** The served versions. */
  readonly versions: readonly string[];
  readonly description?: string;
}

interface Definition extends KubeObject {
  spec: {
    group: string;
    scope: string;
    names: { plural: string; kind: string };
    versions: { name: string; served: boolean; schema?: { openAPIV3Schema?: { description?: string } } }[];
  };
  status?: { conditions?: { type: string; status: string }[] };
}

const maxDescription = 300;

/** A CustomResourceDefinition without its schemas. For `transform` of informers. */
export function kindNames(crd: KubeObject): KindNames {
  const { apiVersion, kind, metadata, spec, status } = crd as Definition;
  const description = spec.versions.find(({ served }) => served)?.schema?.openAPIV3Schema?.description;
  return {
    ...(description === undefined ? {} : { description: description.slice(0, maxDescription) }),
    apiVersion,
    kind,
    metadata: { ...metadata, managedFields: [] },
    group: spec.group,
    kindName: spec.names.kind,
    plural: spec.names.plural,
    isNamespaced: spec.scope === 'Namespaced',
    isEstablished: status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false,
    versions: spec.versions.filter(({ served }) => served).map(({ name }) => name),
  };
}

/**
 * The kinds that tenants get from service providers, without duplicates. Kinds that cannot belong to a provider are
 * left out: members get rights on these kinds, and a provider that reported Secrets would expose kubeconfigs to them.
 */
export const serviceKindsOf = (providers: readonly Provider[]): readonly GroupVersionKind[] =>
  uniqueKinds(providers.flatMap(resourcesOf).filter(({ group }) => !isReserved(group)));

/**
 * The kinds that are served as namespaced kinds now, without duplicates, in a fixed order. A kind without a definition
 * is left out: it has no objects. Built-in kinds have no definition; their plural is the usual one.
 */
export function servedKinds(
  wanted: readonly GroupVersionKind[],
  definitions: readonly KindNames[],
): readonly ServedKind[] {
  return uniqueKinds(wanted).flatMap(gvk => {
    const found = definitions.find(({ group, kindName }) => group === gvk.group && kindName === gvk.kind);
    if (found !== undefined) return servedAs(gvk, found);
    return isBuiltIn(gvk.group) ? [{ ...gvk, plural: pluralOf(gvk.kind) }] : [];
  });
}

/** Identifies a kind; versions of one kind have the same objects. */
export const kindId = ({ group, kind }: { readonly group: string; readonly kind: string }): string =>
  `${kind}.${group}`;

function servedAs(gvk: GroupVersionKind, { plural, versions, isNamespaced, isEstablished }: KindNames): ServedKind[] {
  const version = versions.includes(gvk.version) ? gvk.version : versions[0];
  if (version === undefined || !isNamespaced || !isEstablished) return [];
  return [{ group: gvk.group, version, kind: gvk.kind, plural }];
}

function uniqueKinds(kinds: readonly GroupVersionKind[]): readonly GroupVersionKind[] {
  const byId = new Map(kinds.map(({ group, version, kind }) => [kindId({ group, kind }), { group, version, kind }]));
  return [...byId.entries()].sort(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, kind]) => kind);
}

/** Groups of built-in kinds have no dot, or this suffix. */
const isBuiltIn = (group: string): boolean => !group.includes('.') || group.endsWith('.k8s.io');

function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/(s|x|ch)$/.test(singular)) return singular.endsWith('endpoints') ? singular : `${singular}es`;
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
