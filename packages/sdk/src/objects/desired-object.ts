import { type KubeObject, parseJson } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import type { ClusterRole } from './cluster-connection.ts';
import { contentHash } from './content-hash.ts';
import { objectRef, placeOf } from './kind-refs.ts';
import type { Desired, OwnerInfo } from './managed-objects.ts';
import { contentHashAnnotation, ownershipOf } from './ownership.ts';

/** A desired object as it is applied. */
export interface DesiredObject {
  readonly role: ClusterRole;
  readonly ref: ObjectRef;
  /** What is applied, ownership labels and annotations included. */
  readonly body: KubeObject;
  readonly hash: string;
  readonly isShared: boolean;
  readonly isReady: Desired['isReady'];
}

/** Prepares a desired object of an owner for server-side apply. */
export function toDesiredObject(
  { cluster, object, plural, isReady, isShared }: Desired,
  provider: string,
  owner: OwnerInfo,
): DesiredObject {
  const shared = isShared ?? object.kind === 'CustomResourceDefinition';
  const marked = withMetadata(applicable(object), ownershipOf(provider, owner, shared));
  const hash = contentHash(marked);
  const body = withMetadata(marked, { annotations: { [contentHashAnnotation]: hash } });
  return { role: cluster, ref: objectRef(object, plural), body, hash, isShared: shared, isReady };
}

/** The part of an object that has field owners: without type, name and fields that the server sets. */
export function contentOf({ apiVersion: _, kind: _kind, metadata, ...content }: KubeObject): Record<string, unknown> {
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  return { ...content, metadata: { labels, annotations, finalizers, ownerReferences } };
}

/** `Deployment "a/b"`. */
export const titleOf = ({ kind, metadata }: KubeObject): string => `${kind} "${placeOf(metadata)}"`;

const clusterNames: Readonly<Record<ClusterRole, string>> = { mcp: 'control plane', workload: 'workload cluster' };

/** `on the workload cluster`. */
export const whereOf = (role: ClusterRole): string => `on the ${clusterNames[role]}`;

/** Removes what cannot be applied, and encodes `stringData` of Secrets as the server stores it. */
function applicable({ status: _, stringData, ...object }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations, finalizers, ownerReferences } = object.metadata;
  const metadata = { name, namespace, labels, annotations, finalizers, ownerReferences };
  const bare = parseJson(JSON.stringify({ ...object, metadata })) as KubeObject;
  if (stringData === undefined || bare.kind !== 'Secret') return bare;
  const encoded = Object.entries(stringData as Record<string, string>).map(([key, text]) => [
    key,
    Buffer.from(text).toString('base64'),
  ]);
  return { ...bare, data: { ...(bare['data'] as object | undefined), ...Object.fromEntries(encoded) } };
}

function withMetadata(object: KubeObject, { labels, annotations }: KubeObject['metadata']): KubeObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(labels && { labels: { ...metadata.labels, ...labels } }),
      ...(annotations && { annotations: { ...metadata.annotations, ...annotations } }),
    },
  };
}
