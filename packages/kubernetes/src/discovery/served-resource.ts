import type { GroupVersionKind, KindDeclaration, KindVersion } from '@chandlery/api';

/** One kind in one of its versions, with every default of its declaration filled in: what documents are made of. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly ServedSubresource[];
  readonly declaration: KindDeclaration;
  readonly declaredVersion: KindVersion;
}

/** A part of an object that has a path of its own. */
export interface ServedSubresource {
  readonly name: string;
  readonly responseKind: GroupVersionKind;
  readonly verbs: readonly string[];
}

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const partVerbs = ['get', 'patch', 'update'];
const scaleKind: GroupVersionKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** Describes a declared kind in each version that it serves. */
export function servedResources(declaration: KindDeclaration): ServedResource[] {
  return declaration.versions
    .filter(({ served }) => served ?? true)
    .map(version => servedResource(declaration, version));
}

function servedResource(declaration: KindDeclaration, declaredVersion: KindVersion): ServedResource {
  const { group, kind, plural } = declaration;
  return {
    group,
    version: declaredVersion.name,
    kind,
    plural,
    listKind: declaration.listKind ?? `${kind}List`,
    singular: declaration.singular ?? kind.toLowerCase(),
    isNamespaced: declaration.scope === 'Namespaced',
    verbs: declaration.verbs?.toSorted() ?? allVerbs,
    shortNames: declaration.shortNames ?? [],
    categories: declaration.categories ?? [],
    subresources: subresourcesOf(declaration, declaredVersion),
    declaration,
    declaredVersion,
  };
}

function subresourcesOf(
  { group, kind }: KindDeclaration,
  { name: version, subresources }: KindVersion,
): ServedSubresource[] {
  const parts = [...(subresources?.others ?? [])];
  const has = (name: string) => parts.some(part => part.name === name);
  if (subresources?.scale !== undefined && !has('scale'))
    parts.push({ name: 'scale', responseKind: scaleKind, verbs: partVerbs });
  if (subresources?.status && !has('status'))
    parts.push({ name: 'status', responseKind: { group, version, kind }, verbs: partVerbs });
  return parts.sort((a, b) => (a.name < b.name ? -1 : 1));
}
