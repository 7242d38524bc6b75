import type { KubeObject, ObjectMeta } from '@chandlery/api';
import type { ListMeta } from './list-meta.ts';

/** An object's metadata alone, as metadata informers and garbage collectors ask for it. */
export interface PartialObjectMetadata {
  readonly kind: 'PartialObjectMetadata';
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
}

/** A list of such. */
export interface PartialObjectMetadataList {
  readonly kind: 'PartialObjectMetadataList';
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly items: readonly PartialObjectMetadata[];
}

/** Cuts an object down to its metadata. `version` is that of meta.k8s.io; default `v1`. */
export const toPartialMetadata = (object: KubeObject, version = 'v1'): PartialObjectMetadata => ({
  kind: 'PartialObjectMetadata',
  apiVersion: `meta.k8s.io/${version}`,
  metadata: object.metadata,
});

/** Cuts a list down to its objects' metadata. */
export const toPartialMetadataList = (
  items: readonly KubeObject[],
  listMeta: ListMeta,
  version = 'v1',
): PartialObjectMetadataList => ({
  kind: 'PartialObjectMetadataList',
  apiVersion: `meta.k8s.io/${version}`,
  metadata: listMeta,
  items: items.map(item => toPartialMetadata(item, version)),
});
