import type { EncodedResource, ResourceType } from '../model/resource.ts';

/** Names by type that were added, changed or removed. */
export class ChangedNames {
  readonly byType = new Map<ResourceType, Set<string>>();
  /** Whether a resource was removed. */
  hasRemoval = false;

  add(type: ResourceType, name: string): void {
    const names = this.byType.get(type);
    if (names === undefined) this.byType.set(type, new Set([name]));
    else names.add(name);
  }

  /** Adds the names in which two lists of resources differ. */
  addDifference(before: readonly EncodedResource[], after: readonly EncodedResource[]): void {
    const versions = new Map(before.map(resource => [`${resource.type} ${resource.name}`, resource]));
    for (const resource of after) {
      const key = `${resource.type} ${resource.name}`;
      if (versions.get(key)?.version !== resource.version) this.add(resource.type, resource.name);
      versions.delete(key);
    }
    for (const { type, name } of versions.values()) {
      this.add(type, name);
      this.hasRemoval = true;
    }
  }
}
