import { parseApiVersion } from '@chandlery/api';
import type { HttpClient, ResourceRef } from '@chandlery/client';
import { terminalError } from '@chandlery/runtime';

/** A kind of objects, as `apps/v1/Deployment` or `v1/Secret`. */
export type KindId = string;

/** Finds the collection of a kind. Throws a terminal error for kinds that cannot be in a namespace. */
export type KindResolver = (kind: KindId) => Promise<ResourceRef>;

/** The kind of an object. */
export const kindIdOf = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): KindId =>
  `${apiVersion}/${kind}`;

/** Splits a kind's id into group, version and name. */
export function parseKindId(id: KindId): { readonly group: string; readonly version: string; readonly kind: string } {
  const at = id.lastIndexOf('/');
  const apiVersion = id.slice(0, at);
  return { ...(parseApiVersion(apiVersion) ?? { group: '', version: apiVersion }), kind: id.slice(at + 1) };
}

interface ResourceList {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

/** Finds collections by what the server says of itself; asks once per group and version while that succeeds. */
export function discoverKinds(client: Pick<HttpClient, 'raw'>): KindResolver {
  const known = new Map<KindId, ResourceRef>();
  return async id => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const { group, version, kind } = parseKindId(id);
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const response = await client.raw(path, { accept: [404] });
    const { resources = [] } = (await response.json()) as ResourceList;
    const resource = resources.find(({ name, kind: served }) => served === kind && !name.includes('/'));
    if (resource === undefined) throw terminalError(`the cluster does not serve the kind ${id}`);
    if (!resource.namespaced) throw terminalError(`the kind ${id} has no namespace, so it cannot be part of a program`);
    const ref = { group, version, plural: resource.name };
    known.set(id, ref);
    return ref;
  };
}
