import type { BlockingKind, ProviderDefinition } from '../definition/provider-definition.ts';

/** How many objects of a kind keep a service. */
export interface BlockingCount {
  readonly kind: BlockingKind;
  readonly count: number;
}

/** The kinds whose objects keep a service: those that are named, and those that tenants use through it. */
export function blockingKindsOf({ blockedBy = [], syncs = [] }: ProviderDefinition): readonly BlockingKind[] {
  const synced = syncs.map(({ kind: { group, version, kind, plural } }) => ({ group, version, kind, plural }));
  const byName = new Map([...blockedBy, ...synced].map(kind => [`${kind.plural}.${kind.group}`, kind]));
  return [...byName.values()];
}

/** The same objects, the same sentence. */
export function describeBlockers(counts: readonly BlockingCount[]): string {
  const list = counts.map(({ kind, count }) => `${count} ${kind.kind} (${kind.plural}.${kind.group})`).sort();
  return `On the control plane there still are ${list.join(', ')}; delete them first.`;
}
