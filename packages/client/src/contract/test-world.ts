import { randomUUID } from 'node:crypto';
import type { KubeObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import type { Client, ObjectRef, ResourceRef, WatchEvent, WatchOptions } from '../client.ts';

/** A client to be tried, and what can be done with the server behind it. */
export interface OpenedClient extends AsyncDisposable {
  readonly client: Client;
  /** Makes the server forget all history. Undefined where a test has no means to. */
  readonly forgetHistory?: () => Promise<void>;
}

/** What can be tried besides, on servers that have more than every Kubernetes has. */
export interface ContractExtras {
  /** Whether the server knows `hasInitialEvents`. Default false. */
  readonly hasInitialEvents?: boolean;
  /** Whether `forgetHistory` is there. Default false. */
  readonly canForgetHistory?: boolean;
}

/** An object of the kind that the suite declares. */
export interface Widget extends KubeObject {
  spec?: {
    size?: number;
    color?: string;
    replicas?: number;
    note?: string;
    parts?: { name: string; value?: string }[];
  };
  status?: { phase?: string; replicas?: number };
}

const field = (type: string, more: object = {}): object => ({ type, ...more });
const record = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

const schema = record({
  spec: record({
    size: field('integer', { minimum: 0, default: 1 }),
    color: field('string', { enum: ['red', 'green', 'blue'] }),
    replicas: field('integer'),
    note: field('string'),
    parts: {
      type: 'array',
      items: record({ name: field('string'), value: field('string') }, { required: ['name'] }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
  }),
  status: record({ phase: field('string'), replicas: field('integer') }),
});

const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };

const crds: ResourceRef = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const namespaces: ResourceRef = { group: '', version: 'v1', plural: 'namespaces' };

/** Longer than any answer takes; a watch that stays silent then ends and the test says what is missing. */
const timeoutMs = 30_000;

/** A namespace and a kind of the suite's own, and names that no two tests share. */
export class World implements AsyncDisposable {
  readonly client: Client;
  readonly opened: OpenedClient;
  readonly group: string;
  readonly namespace: string;
  readonly #crd: ObjectRef;

  constructor(opened: OpenedClient, group: string, namespace: string) {
    this.opened = opened;
    this.client = opened.client;
    this.group = group;
    this.namespace = namespace;
    this.#crd = { ...crds, name: `widgets.${group}` };
  }

  get widgets(): ResourceRef {
    return { group: this.group, version: 'v1', plural: 'widgets', namespace: this.namespace };
  }

  get configMaps(): ResourceRef {
    return { group: '', version: 'v1', plural: 'configmaps', namespace: this.namespace };
  }

  widget(name: string, more: { spec?: Widget['spec']; metadata?: object; status?: Widget['status'] } = {}): Widget {
    const { metadata, ...rest } = more;
    return { apiVersion: `${this.group}/v1`, kind: 'Widget', metadata: { name, ...metadata }, ...rest };
  }

  at(name: string, subresource?: string): ObjectRef {
    return { ...this.widgets, name, ...(subresource === undefined ? {} : { subresource }) };
  }

  /** Creates a widget under a fresh name. */
  make(more: Parameters<World['widget']>[1] = {}): Promise<Widget> {
    return this.client.create(this.widgets, this.widget(freshName(), more));
  }

  /** A label for the objects of one test, as metadata and as selector. */
  mark(): { metadata: { labels: Record<string, string> }; labelSelector: string } {
    const value = freshName();
    return { metadata: { labels: { test: value } }, labelSelector: `test=${value}` };
  }

  /** The first events of a watch that are no bookmarks. */
  async events(count: number, options: WatchOptions): Promise<WatchEvent<Widget>[]> {
    const found: WatchEvent<Widget>[] = [];
    if (count === 0) return found;
    const signal = AbortSignal.timeout(timeoutMs);
    for await (const event of this.client.watch<Widget>(this.widgets, { signal, ...options })) {
      if (event.type !== 'BOOKMARK') found.push(event);
      if (found.length === count) break;
    }
    return found;
  }

  /** The revision as of which nothing of the present is missing. */
  async revision(): Promise<string> {
    return (await this.client.list(this.widgets)).metadata.resourceVersion ?? '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.delete(this.#crd);
    await this.client.delete({ ...namespaces, name: this.namespace });
    await this.opened[Symbol.asyncDispose]();
  }
}

/** Makes the namespace and the kind, and waits until the server takes objects of it. */
export async function openWorld(opened: OpenedClient): Promise<World> {
  const { client } = opened;
  const group = `${freshName()}.contract.chandlery.io`;
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
  const versions = [{ ...version, subresources: { status: {}, scale } }];
  await client.create(crds, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: { group, scope: 'Namespaced', names, versions },
  });
  const { metadata } = await client.create<KubeObject>(namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { generateName: 'chandlery-contract-' },
  });
  const world = new World(opened, group, metadata.name ?? '');
  const isServed = async (): Promise<boolean> => (await client.list(world.widgets)).items.length === 0;
  await eventually(isServed, { what: 'the new kind to be served', timeoutMs: timeoutMs });
  // A server with several parts may list a kind a moment before it takes objects of it.
  const trial = world.widget('trial');
  await eventually(() => client.create(world.widgets, trial, { isDryRun: true }), { what: 'the new kind to be ready' });
  return world;
}

/** A name that is not in use. */
export const freshName = (): string => `w${randomUUID().slice(0, 13)}`;
