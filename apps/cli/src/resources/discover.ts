import { ChandleryError, formatApiVersion } from '@chandlery/api';
import type { HttpClient, ResourceRef } from '@chandlery/client';
import { didYouMean } from '@chandlery/platform';

/** A kind that a cluster serves. */
export interface ServedKind {
  readonly ref: ResourceRef;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  /** Singular, short names: what stands for it besides plural and kind. */
  readonly otherNames: readonly string[];
}

interface AggregatedDiscovery {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind?: string };
        readonly scope?: string;
        readonly singularResource?: string;
        readonly shortNames?: readonly string[];
        readonly verbs?: readonly string[];
      }[];
    }[];
  }[];
}

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** All kinds of a cluster, those of the core group first, of each group the preferred version first. */
export async function discoverKinds(client: HttpClient): Promise<readonly ServedKind[]> {
  const documents = await Promise.all(
    ['/api', '/apis'].map(async path => {
      const response = await client.raw(path, { headers: { accept } });
      return (await response.json()) as AggregatedDiscovery;
    }),
  );
  return documents.flatMap(kindsIn);
}

function kindsIn({ items = [] }: AggregatedDiscovery): ServedKind[] {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources.map(({ resource, responseKind, scope, singularResource = '', shortNames = [], verbs = [] }) => ({
        ref: { group: metadata?.name ?? '', version, plural: resource },
        kind: responseKind?.kind ?? resource,
        isNamespaced: scope === 'Namespaced',
        verbs,
        otherNames: [singularResource, ...shortNames].filter(name => name !== ''),
      })),
    ),
  );
}

/**
 * The kind that a word means: a plural, singular, kind or short name in any case, also as `plural.group` or
 * `plural.version.group`. Throws `UnknownKind` with the nearest name.
 */
export function findKind(word: string, kinds: readonly ServedKind[]): ServedKind {
  const [name = '', ...rest] = word.toLowerCase().split('.');
  const qualifier = rest.join('.');
  const found = kinds.find(kind => isNamed(kind, name) && isQualifiedBy(kind, qualifier));
  if (found !== undefined) return found;
  const names = kinds.flatMap(({ ref, otherNames }) => [ref.plural, ...otherNames]);
  throw new ChandleryError('UnknownKind', `this cluster serves no kind "${word}"${didYouMean(name, names)}`, {
    hint: 'See all kinds with "kubectl api-resources", or name another cluster with --cluster.',
  });
}

const isNamed = ({ ref, kind, otherNames }: ServedKind, name: string): boolean =>
  [ref.plural, kind.toLowerCase(), ...otherNames].includes(name);

const isQualifiedBy = ({ ref: { group, version } }: ServedKind, qualifier: string): boolean =>
  qualifier === '' || qualifier === group || qualifier === `${version}.${group}` || qualifier === version;

/** The kind of an object that names itself. Throws `UnknownKind`. */
export function kindOfObject(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  kinds: readonly ServedKind[],
): ServedKind {
  const found = kinds.find(served => served.kind === kind && formatApiVersion(served.ref) === apiVersion);
  if (found !== undefined) return found;
  throw new ChandleryError('UnknownKind', `this cluster serves no ${kind} of ${apiVersion}`, {
    hint: 'Check apiVersion and kind, install what brings the kind, or name another cluster with --cluster.',
  });
}
