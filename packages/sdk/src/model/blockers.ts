import type { BlockingKind, ProviderDefinition } from '../definition/provider-definition.ts';

/** The number of objects of a kind that block a deletion. */
export interface BlockingCount {
  readonly kind: BlockingKind;
  readonly count: number;
}

/** The kinds whose objects block deletion: the declared ones, and those that are synced for tenants. */
export function blockingKindsOf({ blockedBy = [], syncs = [] }: ProviderDefinition): readonly BlockingKind[] {
  const synced = syncs.map(({ kind: { group, version, kind, plural } }) => ({ group, version, kind, plural }));
  const byName = new Map([...blockedBy, ...synced].map(kind => [`${kind.plural}.${kind.group}`, kind]));
  return [...byName.values()];
}

/** Describes blocking objects; the same objects give the same sentence. */
export function describeBlockers(counts: readonly BlockingCount[]): string {
  const list = counts.map(({ kind, count }) => `${count} ${kind.kind} (${kind.plural}.${kind.group})`).sort();
  return `On the control plane there still are ${list.join(', ')}; delete them first.`;
}
