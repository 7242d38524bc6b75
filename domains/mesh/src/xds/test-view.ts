import { hash } from 'node:crypto';
import protobuf from 'protobufjs/minimal.js';
import { type EncodedResource, type ResourceType, resourceTypes, typeUrls } from '../model/resource.ts';
import type { ProxyView, Unsubscribe, ViewChange } from '../ports.ts';

/** Field for the content of a resource, which no client knows. */
export const contentField = 1000;

/** A resource with a name and some content. Real clients read the name, which is the first field in all types. */
export function testResource(type: ResourceType, name: string, content: string): EncodedResource {
  const value = protobuf.Writer.create()
    .uint32((1 << 3) | 2)
    .string(name)
    .uint32((contentField << 3) | 2)
    .string(content)
    .finish();
  const any = protobuf.Writer.create().uint32(10).string(typeUrls[type]).uint32(18).bytes(value).finish();
  return { type, name, version: hash('sha256', content).slice(0, 12), any };
}

/** Changes of a {@link TestView}. */
export interface ViewEdit {
  set(type: ResourceType, name: string, content?: string): void;
  remove(type: ResourceType, name: string): void;
}

/** A view in memory, for tests and measurements. */
export class TestView implements ProxyView, ViewEdit {
  readonly #resources = new Map(resourceTypes.map(type => [type, new Map<string, EncodedResource>()]));
  readonly #versions = new Map<ResourceType, string>();
  readonly #listeners = new Set<(change: ViewChange) => void>();
  readonly #nowMs: () => number;

  constructor({ nowMs = () => performance.now() }: { readonly nowMs?: () => number } = {}) {
    this.#nowMs = nowMs;
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  version(type: ResourceType): string {
    const known = this.#versions.get(type);
    if (known !== undefined) return known;
    const lines = [...this.#of(type).values()].map(({ name, version }) => `${name} ${version}`);
    const version = hash('sha256', lines.sort().join('\n')).slice(0, 12);
    this.#versions.set(type, version);
    return version;
  }

  names(type: ResourceType): readonly string[] {
    return [...this.#of(type).keys()];
  }

  get(type: ResourceType, name: string): EncodedResource | undefined {
    return this.#of(type).get(name);
  }

  subscribe(listener: (change: ViewChange) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Default content: `1`. */
  set(type: ResourceType, name: string, content?: string): void {
    this.change(edit => edit.set(type, name, content));
  }

  remove(type: ResourceType, name: string): void {
    this.change(edit => edit.remove(type, name));
  }

  /** Makes several changes that are announced together. Removals are urgent by default. */
  change(make: (edit: ViewEdit) => void, options: { readonly isUrgent?: boolean } = {}): void {
    const acceptedAt = this.#nowMs();
    const changed = new Map<ResourceType, Set<string>>();
    let hasRemoval = false;
    const note = (type: ResourceType, name: string): void => {
      changed.set(type, (changed.get(type) ?? new Set()).add(name));
      this.#versions.delete(type);
    };
    make({
      set: (type, name, content = '1') => {
        note(type, name);
        this.#of(type).set(name, testResource(type, name, content));
      },
      remove: (type, name) => {
        note(type, name);
        hasRemoval ||= this.#of(type).delete(name);
      },
    });
    const { isUrgent = hasRemoval } = options;
    for (const listener of this.#listeners) listener({ acceptedAt, changed, isUrgent });
  }

  #of(type: ResourceType): Map<string, EncodedResource> {
    const resources = this.#resources.get(type);
    if (resources === undefined) throw new Error(`no such type: ${type}`);
    return resources;
  }
}
