import { apiError, type KubeObject } from '@chandlery/api';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import { type CustomResourceDefinition, kindOfCrd } from '../registry/kind-of-crd.ts';
import { crdResource } from '../registry/kind-registry.ts';
import { narrowParts } from '../views/visible-parts.ts';
import { fromStoredForm } from './convert.ts';
import type { ResourceDeps, Target } from './request.ts';
import type { Selection } from './selection.ts';
import { isCurrent, type Served } from './served.ts';

/** One item of a watch. `source` lets renderings be shared by all watchers of the same change. */
export type WatchItem =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly served: Served;
      readonly source: FeedEvent | undefined;
    }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly isInitialEnd: boolean };

export interface WatchSink {
  /** In order. Must not throw. A promise slows down the initial listing, which can wait; live changes cannot. */
  deliver(items: readonly WatchItem[]): void | Promise<void>;
  /** The watch has failed and ends; not called after `stop`. */
  fail(error: unknown): void;
  /** True when no more items are taken, which ends the initial listing early. Default: never. */
  isClosed?(): boolean;
}

/** A running watch. */
export interface Watch {
  /** The revision up to which everything has been delivered. */
  revision(): number;
  stop(): void;
}

/** Delivers changes from a revision on to a sink, in the target's version and filtered by the selection. */
export class Watcher implements Watch {
  readonly #deps: ResourceDeps;
  readonly #target: Target;
  readonly #selection: Selection;
  readonly #sink: WatchSink;
  readonly #stops: (() => void)[] = [];
  #isStopped = false;
  #delivered = 0;
  /** History is being read, which can wait for the sink. */
  #isCatchingUp = true;
  /** Events that wait for the previous state of one before them. */
  #chain: Promise<void> | undefined;

  constructor(deps: ResourceDeps, target: Target, selection: Selection, sink: WatchSink) {
    this.#deps = deps;
    this.#target = target;
    this.#selection = selection;
    this.#sink = sink;
  }

  async start(revision: number): Promise<void> {
    this.#delivered = revision;
    const { feed } = this.#deps;
    this.#stops.push(
      feed.onGap(() => this.#fail(apiError('Expired', 'too old resource version: changes were missed'))),
      ...this.#endWithKind(),
    );
    const stopVisibility = await this.#target.visibility?.follow(revision, error => this.#fail(error));
    if (stopVisibility !== undefined) this.#stops.push(stopVisibility);
    this.#stops.push(await feed.follow(this.#scope(), revision, events => this.#take(events)));
    this.#isCatchingUp = false;
    if (this.#isStopped) this.stop();
  }

  revision(): number {
    return this.#chain === undefined ? Math.max(this.#delivered, this.#deps.feed.position) : this.#delivered;
  }

  stop(): void {
    this.#isStopped = true;
    for (const stop of this.#stops.splice(0)) stop();
  }

  #scope(): Parameters<ChangeFeed['follow']>[0] {
    const { cluster, resource: served, visibility } = this.#target;
    const { namespace, name } = this.#selection;
    const resource = served.kind.stored.resource;
    if (visibility === undefined) return { cluster, resource, namespace, ...(namespace === undefined ? {} : { name }) };
    const within = { ...(namespace === undefined ? {} : { namespace }), ...(name === undefined ? {} : { name }) };
    return { cluster, resource, parts: narrowParts(visibility.parts, within) };
  }

  /** A custom kind whose definition changes may show objects otherwise: its watches expire, so that clients list again. */
  #endWithKind(): (() => void)[] {
    const { cluster, resource } = this.#target;
    if (resource.crd === undefined) return [];
    const scope = { cluster, resource: crdResource, namespace: '', name: resource.crd.name };
    const { feed, registry } = this.#deps;
    return [
      feed.listen(scope, events => {
        const { change, object } = events.at(-1) ?? {};
        if (change === undefined || object === undefined) return;
        const isSame =
          change.type !== 'deleted' &&
          registry.compile(kindOfCrd(object as CustomResourceDefinition)) === resource.kind;
        if (!isSame) this.#fail(apiError('Expired', 'the definition of the resource has changed'));
      }),
    ];
  }

  #take(events: readonly FeedEvent[]): void | Promise<void> {
    if (this.#isStopped) return;
    if (this.#selection.matches === undefined) {
      const delivery = this.#sink.deliver(events.map(event => this.#item(typeOf(event), event)));
      this.#delivered = events.at(-1)?.revision ?? this.#delivered;
      return delivery;
    }
    const turn: Promise<void> = (this.#chain ?? Promise.resolve())
      .then(() => this.#takeSelected(events))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        if (this.#chain === turn) this.#chain = undefined;
      });
    this.#chain = turn;
    return turn;
  }

  /** With selectors, an object that starts to match is added and one that stops is deleted. */
  async #takeSelected(events: readonly FeedEvent[]): Promise<void> {
    for (const event of events) {
      const item = await this.#selectedItem(event);
      if (this.#isStopped) return;
      const delivery = item === undefined ? undefined : this.#sink.deliver([item]);
      if (this.#isCatchingUp) await delivery;
      this.#delivered = event.revision;
    }
  }

  async #selectedItem(event: FeedEvent): Promise<WatchItem | undefined> {
    const matches = this.#selection.matches ?? (() => true);
    const doesMatch = matches(event.object);
    if (event.change.type !== 'updated') return doesMatch ? this.#item(typeOf(event), event) : undefined;
    const previous = await event.previous();
    const didMatch = previous !== undefined && matches(previous);
    if (doesMatch) return this.#item(didMatch ? 'MODIFIED' : 'ADDED', event);
    if (!didMatch) return undefined;
    return { type: 'DELETED', served: this.#parsed(structuredClone(previous), event.revision), source: undefined };
  }

  #fail(error: unknown): void {
    if (this.#isStopped) return;
    this.stop();
    this.#sink.fail(error);
  }

  #item(type: 'ADDED' | 'MODIFIED' | 'DELETED', event: FeedEvent): WatchItem {
    // An event is served as it is: its bytes are made once for all watchers.
    const served = isCurrent(this.#target.resource, event)
      ? event
      : this.#parsed(structuredClone(event.object), event.revision);
    return { type, served, source: event };
  }

  #parsed(object: KubeObject, revision: number): Served {
    const converted = fromStoredForm(this.#target.resource, object);
    return {
      revision,
      object: converted,
      get bytes() {
        return Buffer.from(JSON.stringify(converted));
      },
    };
  }
}

function typeOf({ change }: FeedEvent): 'ADDED' | 'MODIFIED' | 'DELETED' {
  switch (change.type) {
    case 'created':
      return 'ADDED';
    case 'updated':
      return 'MODIFIED';
    case 'deleted':
      return 'DELETED';
  }
}
