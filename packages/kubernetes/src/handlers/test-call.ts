import { EventEmitter } from 'node:events';
import type { FeedEvent, FeedListener, ServedKind } from '@chandlery/kernel';
import type { Call } from '../call.ts';
import { Turns } from '../turns.ts';

/** A kind of namespaced objects that everyone may list. */
export function testKind(plural: string): ServedKind {
  const version = { name: 'v1', apiVersion: 'v1', isServed: true };
  const kind = {
    group: '',
    kind: plural,
    resource: `/${plural}`,
    groupResource: { group: '', resource: plural },
    isNamespaced: true,
    verbs: ['list'],
    storageVersion: version,
    versions: new Map([['v1', version]]),
  };
  // It is no view of another kind.
  return { kind: Object.assign(kind, { stored: kind }), sinceRevision: 0 } as unknown as ServedKind;
}

interface TestCallOptions {
  readonly kinds: readonly ServedKind[];
  readonly calls: Partial<Record<keyof Call['calls'], unknown>>;
  readonly keysOfDependants?: Call['kernel']['keysOfDependants'];
}

/** A call of who may list everything in the cluster `shop`, on stubs. */
export function testCall({ kinds: served, calls, keysOfDependants }: TestCallOptions) {
  const listeners = new Set<FeedListener>();
  const byResource = new Map(served.map(each => [each.kind.resource, each]));
  const kernel = {
    feed: {
      listen: (_scope: object, listener: FeedListener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    store: { collections: async () => [...byResource.keys()].map(resource => ({ cluster: 'shop', resource })) },
    access: { of: async () => ({}) },
    authorize: async () => undefined,
    keysOfDependants,
  };
  const call = {
    kernel,
    home: 'shop',
    kinds: { all: () => byResource.values(), get: (resource: string) => byResource.get(resource) },
    calls,
    user: { username: 'ann', groups: [] },
    sender: 'ann',
    turns: new Turns(),
    access: {},
    view: undefined,
    reply: { raw: new EventEmitter() },
    host: { stopping: new AbortController().signal },
  } as unknown as Call;
  const write = (resource: string): void => {
    const event = { change: { key: { cluster: 'shop', resource } } } as unknown as FeedEvent;
    for (const listener of listeners) void listener([event]);
  };
  return { call, listeners, write };
}
