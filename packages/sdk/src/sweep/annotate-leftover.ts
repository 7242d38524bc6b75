import type { KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { sdkNames } from '../model/names.ts';

/** Annotates a leftover of a deleted service object with the reason why it still exists. */
export async function annotateLeftover(
  platform: Client,
  ref: ResourceRef,
  { metadata }: KubeObject,
  message: string,
): Promise<void> {
  const { namespace = '', name = '', annotations, uid } = metadata;
  if (annotations?.[sdkNames.leftoverAnnotation] === message) return;
  const body = { metadata: { uid, annotations: { [sdkNames.leftoverAnnotation]: message } } };
  await platform.patch({ ...ref, namespace, name }, { type: 'merge', body });
}
