import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  parseJson,
  type StructuralSchema,
} from '@chandlery/api';
import { emptySet, type FieldSet } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';

/** Where kubectl's client-side apply remembers what it applied. */
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** kubectl's name for itself when it applies on the server side. */
const kubectlManager = 'kubectl';

/**
 * The fields that this manager may take over without asking: kubectl those of its own client-side apply, so that
 * switching to server-side apply does not make kubectl conflict with itself.
 */
export function fieldsOfLastApplied(live: KubeObject | undefined, manager: string, schema: StructuralSchema): FieldSet {
  const text = live?.metadata.annotations?.[lastAppliedAnnotation];
  if (manager !== kubectlManager || !text) return emptySet;
  try {
    const applied = parseJson(text);
    return isJsonObject(applied) ? fieldSetOf(applied, schema, { allowDuplicates: true }) : emptySet;
  } catch {
    // The annotation is the user's: when it cannot be read, it allows nothing.
    return emptySet;
  }
}

/**
 * Keeps client-side apply's memory in step when kubectl applies on the server side, so that users can go back. Objects
 * without the annotation do not get one.
 */
export function refreshLastApplied(object: KubeObject, applied: KubeObject, manager: string): KubeObject {
  const { annotations } = object.metadata;
  if (manager !== kubectlManager || annotations?.[lastAppliedAnnotation] === undefined) return object;
  const text = `${canonicalJson(withoutAnnotation(applied))}\n`;
  if (annotations[lastAppliedAnnotation] === text) return object;
  const refreshed = { ...annotations, [lastAppliedAnnotation]: text };
  return { ...object, metadata: { ...object.metadata, annotations: refreshed } };
}

function withoutAnnotation(applied: KubeObject): JsonObject {
  const { annotations, ...metadata } = applied.metadata;
  if (annotations === undefined) return applied as unknown as JsonObject;
  const { [lastAppliedAnnotation]: _, ...rest } = annotations;
  return { ...applied, metadata: { ...metadata, annotations: rest } } as unknown as JsonObject;
}
