import type { KubeObject } from '@chandlery/api';
import type { ObjectRef, ResourceRef } from '@chandlery/client';
import { keyOf, type WorkQueue } from '@chandlery/runtime';
import type { ClusterRole } from '../objects/cluster-connection.ts';
import { kindId, placeOf } from '../objects/kind-refs.ts';
import type { Engaged } from './engaged.ts';
import type { SideListener } from './side.ts';
import { linkedTo } from './sync-ownership.ts';
import type { SyncDefinition } from './syncer.ts';

/** A source to be synced. */
export interface SyncItem {
  /** Key of the owner. */
  readonly owner: string;
  /** `plural.group` of the definition. */
  readonly role: string;
  /** Key of the source. */
  readonly source: string;
}

export const itemId = ({ owner, role, source }: SyncItem): string => `${owner} ${role} ${source}`;

export interface SyncInboxOptions {
  readonly queue: Pick<WorkQueue<SyncItem>, 'add'>;
  readonly engaged: ReadonlyMap<string, Engaged>;
  readonly definitions: ReadonlyMap<string, SyncDefinition>;
  /** Called when a copy of a leaving owner is deleted. */
  readonly onLeft: (owner: string) => void;
}

/** Maps changes on the clusters to sources and enqueues them. */
export class SyncInbox {
  readonly #options: SyncInboxOptions;
  readonly #origins = new Origins<SyncItem>(itemId);

  constructor(options: SyncInboxOptions) {
    this.#options = options;
  }

  /** The listener for the control plane of an owner. */
  mcpListener(owner: string): SideListener {
    return {
      mainChanged: (definition, current, previous) => {
        const object = current ?? previous;
        if (object !== undefined) this.#add({ owner, role: kindId(definition.kind.ref), source: keyOf(object) });
      },
      targetChanged: (current, previous) => this.#addLinked(current, previous),
      originChanged: (ref, object) => this.#addOrigin(originId({ from: 'mcp', owner }, ref, placeOf(object.metadata))),
      mainSynced: () => this.addAll(owner),
    };
  }

  /** The listener for a workload cluster. */
  workloadListener(): SideListener {
    return {
      mainChanged: (_definition, current, previous) => {
        if (current === undefined) this.#notifyLeaving(previous);
        this.#addLinked(current, previous);
      },
      targetChanged: (current, previous) => this.#addLinked(current, previous),
      originChanged: (ref, object) => this.#addOrigin(originId({ from: 'workload' }, ref, placeOf(object.metadata))),
      mainSynced: () => {
        for (const owner of this.#options.engaged.keys()) this.addAll(owner);
      },
    };
  }

  /** Enqueues all sources of an owner, and all copies whose source may be deleted. */
  addAll(owner: string): void {
    const engaged = this.#options.engaged.get(owner);
    if (engaged === undefined) return;
    for (const [role, definition] of this.#options.definitions) {
      for (const source of engaged.mcpSide.main(definition).list()) this.#add({ owner, role, source: keyOf(source) });
      this.#addLinked(...engaged.workloadSide.main(definition).byIndex('owner', owner));
    }
  }

  /** Removes the related objects of a source, before they are determined again. */
  forgetOrigins(item: SyncItem): void {
    this.#origins.clear(item);
  }

  /** Enqueues the source when this related object changes. */
  expectOrigin(item: SyncItem, from: ClusterRole, ref: ObjectRef): void {
    this.#origins.add(item, originId({ from, owner: item.owner }, ref, placeOf(ref)));
  }

  #add({ owner, role, source }: SyncItem): void {
    const { engaged, definitions, queue } = this.#options;
    if (engaged.get(owner)?.isLeaving === false && definitions.has(role)) queue.add({ owner, role, source });
  }

  /** Enqueues the sources of created objects, before and after a change, which may have removed their labels. */
  #addLinked(...objects: readonly (KubeObject | undefined)[]): void {
    for (const object of objects) {
      const link = object && linkedTo(object);
      if (link !== undefined) this.#add({ ...link, role: link.role.split('/')[0] ?? '' });
    }
  }

  #addOrigin(origin: string): void {
    for (const item of this.#origins.of(origin)) this.#add(item);
  }

  #notifyLeaving(copy: KubeObject | undefined): void {
    const owner = copy && linkedTo(copy)?.owner;
    if (owner !== undefined && this.#options.engaged.get(owner)?.isLeaving) this.#options.onLeft(owner);
  }
}

/** Workload clusters share the id: an extra sync has no effect. */
function originId(cluster: { from: ClusterRole; owner?: string }, ref: ResourceRef, place: string): string {
  const where = cluster.from === 'mcp' ? `mcp of ${cluster.owner}` : 'workload';
  return `${where} ${kindId(ref)} ${place}`;
}

/** Indexes items by the related objects that they depend on, so that a change of such an object enqueues them. */
class Origins<Item> {
  readonly #idOf: (item: Item) => string;
  readonly #byOrigin = new Map<string, Map<string, Item>>();
  readonly #byItem = new Map<string, Set<string>>();

  constructor(idOf: (item: Item) => string) {
    this.#idOf = idOf;
  }

  add(item: Item, origin: string): void {
    const id = this.#idOf(item);
    this.#byOrigin.set(origin, (this.#byOrigin.get(origin) ?? new Map<string, Item>()).set(id, item));
    this.#byItem.set(id, (this.#byItem.get(id) ?? new Set<string>()).add(origin));
  }

  /** Removes all entries of an item. */
  clear(item: Item): void {
    const id = this.#idOf(item);
    for (const origin of this.#byItem.get(id) ?? []) {
      const items = this.#byOrigin.get(origin);
      items?.delete(id);
      if (items?.size === 0) this.#byOrigin.delete(origin);
    }
    this.#byItem.delete(id);
  }

  of(origin: string): Iterable<Item> {
    return [...(this.#byOrigin.get(origin)?.values() ?? [])];
  }
}
