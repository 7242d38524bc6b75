import { isError, type KubeObject } from '@chandlery/api';
import type { ObjectRef } from '@chandlery/client';
import { discoverKinds, kindOfObject, type ServedKind } from './discover.ts';
import { collectionIn, type Scope } from './scope.ts';

/** The field manager of what this command applies. */
export const fieldManager = 'chandlery';

/** Where an object of a file belongs, and what is sent. */
export interface ObjectPlace {
  readonly kind: ServedKind;
  readonly ref: ObjectRef;
  readonly body: KubeObject;
}

/** Finds out where an object of a file belongs. Rejects with `UnknownKind`. */
export async function placeOfObject(scope: Scope, object: KubeObject): Promise<ObjectPlace> {
  const kind = await kindServed(scope, object);
  const ref = refOf(scope, kind, object);
  const { namespace } = ref;
  return { kind, ref, body: namespace === undefined ? object : withNamespace(object, namespace) };
}

const withNamespace = (object: KubeObject, namespace: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, namespace },
});

/** A kind that an earlier document has just defined is served a moment later. */
async function kindServed(scope: Scope, object: KubeObject): Promise<ServedKind> {
  try {
    return kindOfObject(object, scope.kinds);
  } catch (thrown) {
    if (!isError(thrown, 'UnknownKind')) throw thrown;
    return kindOfObject(object, await discoverKinds(scope.client));
  }
}

/** An object names its namespace itself, or belongs to that of the command. */
function refOf(scope: Scope, kind: ServedKind, { metadata }: KubeObject): ObjectRef {
  const collection = collectionIn(scope, kind);
  const namespace = kind.isNamespaced ? metadata.namespace : undefined;
  return { ...collection, ...(namespace === undefined ? {} : { namespace }), name: metadata.name ?? '' };
}
