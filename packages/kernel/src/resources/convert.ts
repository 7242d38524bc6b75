import type { KubeObject } from '@chandlery/api';
import type { CompiledKind, CompiledVersion } from '../registry/compiled-kind.ts';

/**
 * The stored object as a version shows it: by the version's own conversion or the same under another apiVersion, then
 * that version's pruning and defaults. Changes the object.
 */
export function fromStoredForm({ kind, version }: VersionOfKind, object: KubeObject): KubeObject {
  const shown = kind.declaration.viewOf?.show(object) ?? converted(object, version, 'fromStorage');
  shown.apiVersion = version.apiVersion;
  version.prune(shown);
  version.applyDefaults(shown);
  return shown;
}

/** Fields that the storage version does not have are not stored: readers of that version get the stored bytes. */
export function toStoredForm(kind: CompiledKind, object: KubeObject): KubeObject {
  const { stored, declaration } = kind;
  const { storageVersion } = stored;
  const { apiVersion } = storageVersion;
  if (declaration.viewOf !== undefined) return { ...declaration.viewOf.store(object), apiVersion, kind: stored.kind };
  if (object.apiVersion === apiVersion) return object;
  const own = [...kind.versions.values()].find(version => version.apiVersion === object.apiVersion);
  const form = { ...converted(structuredClone(object), own, 'toStorage'), apiVersion };
  storageVersion.prune(form);
  storageVersion.applyDefaults(form);
  return form;
}

/** What the version cannot show of the stored object, in sentences. */
export const lossesOf = ({ version }: VersionOfKind, stored: KubeObject): readonly string[] =>
  version.declaration.conversion?.loses?.(stored) ?? [];

interface VersionOfKind {
  readonly kind: CompiledKind;
  readonly version: CompiledVersion;
}

/** Of metadata only annotations are the converter's business. */
function converted(
  object: KubeObject,
  version: CompiledVersion | undefined,
  way: 'fromStorage' | 'toStorage',
): KubeObject {
  const conversion = version?.declaration.conversion;
  if (conversion === undefined) return object;
  const { kind, metadata } = object;
  const form = conversion[way](object);
  const { annotations: _, ...others } = metadata;
  const annotations = form.metadata.annotations ?? {};
  const hasAny = Object.keys(annotations).length > 0;
  return { ...form, kind, metadata: hasAny ? { ...others, annotations } : others };
}
