import type { KubeObject } from '@chandlery/api';
import type { CompiledKind } from '../registry/compiled-kind.ts';
import type { ObjectKey } from '../store/store.ts';
import { fieldTerm, labelTerm, ownerTerm, terminatingTerm } from '../store/terms.ts';

/** The index terms of an object: its labels, its selectable fields, its owners, and whether it is being deleted. */
export function indexTerms(kind: CompiledKind, key: ObjectKey, object: KubeObject): number[] {
  const terms = new Set<number>();
  const labels = object.metadata.labels ?? {};
  for (const label of Object.keys(labels)) terms.add(labelTerm(key.cluster, key.resource, label, labels[label] ?? ''));
  for (const version of kind.versions.values()) {
    for (const [path, read] of version.selectableFields) {
      terms.add(fieldTerm(key.cluster, key.resource, path, read(object)));
    }
  }
  for (const owner of object.metadata.ownerReferences ?? []) terms.add(ownerTerm(key.cluster, owner.uid));
  if (object.metadata.deletionTimestamp !== undefined) terms.add(terminatingTerm);
  return [...terms];
}

/** The unique strings that an object holds by its kind's rules. */
export function uniqueStrings(kind: CompiledKind, key: ObjectKey, object: KubeObject): string[] {
  const strings: string[] = [];
  for (const { name, within, values } of kind.declaration.uniqueKeys ?? []) {
    const scope = within === 'cluster' ? key.cluster : '*';
    for (const value of values(object)) strings.push(`${scope}|${key.resource}|${name}|${value}`);
  }
  return strings;
}
