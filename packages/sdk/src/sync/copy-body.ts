import { type CustomKind, type KubeObject } from '@chandlery/api';
import { hash8, shorten } from '@chandlery/clusters/kinds';
import { contentHash } from '../objects/content-hash.ts';
import { contentHashAnnotation } from '../objects/ownership.ts';
import { type Link, linkMetadata } from './sync-ownership.ts';
import type { Place, SyncContext, SyncDefinition } from './syncer.ts';

/** The default place of a source's copy. Different sources have different places. */
export function defaultPlace(source: KubeObject, { instanceId, instanceNamespace }: SyncContext): Place {
  const { namespace, name = '' } = source.metadata;
  const prefix = namespace ? hash8(namespace) : instanceId;
  return { namespace: instanceNamespace, name: shorten(`${prefix}-${name}`) };
}

/** The place of a source's copy; without a namespace for cluster-scoped kinds. */
export function copyPlace(definition: SyncDefinition, source: KubeObject, context: SyncContext) {
  const { namespace, name } = definition.place?.(source, context) ?? defaultPlace(source, context);
  return definition.kind.isNamespaced ? { namespace, name } : { name };
}

/** The copy as it is applied: the spec, our labels, and the labels and annotations that the definition passes on. */
export function copyBody(
  { kind, metadataPrefixes = [] }: SyncDefinition,
  source: KubeObject,
  { link, place }: { readonly link: Link; readonly place: Partial<Place> },
): KubeObject {
  const { labels, annotations } = linkMetadata(link, source.metadata.uid ?? '');
  const passed = {
    labels: { ...withPrefix(source.metadata.labels, metadataPrefixes), ...labels },
    annotations: { ...withPrefix(source.metadata.annotations, metadataPrefixes), ...annotations },
  };
  const spec = source['spec'] === undefined ? {} : { spec: source['spec'] };
  return withContentHash({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { ...place, ...passed }, ...spec });
}

/** Adds the annotation with the hash of the content. */
export function withContentHash(object: KubeObject): KubeObject {
  const { metadata } = object;
  const annotations = { ...metadata.annotations, [contentHashAnnotation]: contentHash(object) };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** Whether objects of a kind have the sub-resource `status`. */
export function hasStatus({ crd, version }: CustomKind): boolean {
  const { versions = [] } = crd['spec'] as { versions?: { name: string; subresources?: { status?: object } }[] };
  return versions.find(({ name }) => name === version)?.subresources?.status !== undefined;
}

const withPrefix = (entries: Record<string, string> = {}, prefixes: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).filter(([name]) => prefixes.some(prefix => name.startsWith(prefix))));
