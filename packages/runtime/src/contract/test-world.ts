import { randomUUID } from 'node:crypto';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { installKinds } from '../helpers/install-kinds.ts';

/** A client to try the runtime with. */
export interface OpenedClient extends AsyncDisposable {
  readonly client: Client;
}

/** An object of the kind that the suite declares. */
export interface Boat extends KubeObject {
  spec?: { sails?: number };
  status?: { observedGeneration?: number; sails?: number; lastHandledReconcileAt?: string };
}

const crds: ResourceRef = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const namespaces: ResourceRef = { group: '', version: 'v1', plural: 'namespaces' };
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A name that is not in use. */
export const freshName = (): string => `b${randomUUID().slice(0, 13)}`;

/** Longer than anything takes that the suite waits for, on a server that is busy. */
export const timeoutMs = 30_000;

/** A definition of Boats in the group. */
export const boatCrd = (group: string, more: object = {}): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `boats.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything, ...more } } },
        subresources: { status: {} },
      },
    ],
  },
});

/** A namespace and a kind of the suite's own. */
export class World implements AsyncDisposable {
  readonly client: Client;
  readonly group: string;
  readonly namespace: string;
  readonly #opened: OpenedClient;

  constructor(opened: OpenedClient, group: string, namespace: string) {
    this.#opened = opened;
    this.client = opened.client;
    this.group = group;
    this.namespace = namespace;
  }

  get boats(): ResourceRef {
    return this.#collection(this.group, 'boats');
  }

  get maps(): ResourceRef {
    return this.#collection('', 'configmaps');
  }

  get events(): ResourceRef {
    return this.#collection('', 'events');
  }

  get leases(): ResourceRef {
    return this.#collection('coordination.k8s.io', 'leases');
  }

  /** What was left behind goes object by object: a server without controllers never empties a namespace. */
  async [Symbol.asyncDispose](): Promise<void> {
    await removeKind(this.client, this.group);
    for (const ref of [this.maps, this.events, this.leases]) await this.#empty(ref);
    await removed(this.client, { ...namespaces, name: this.namespace });
    await this.#opened[Symbol.asyncDispose]();
  }

  #collection(group: string, plural: string): ResourceRef {
    return { group, version: 'v1', plural, namespace: this.namespace };
  }

  async #empty(ref: ResourceRef): Promise<void> {
    for await (const { metadata } of this.client.listAll(ref))
      await removed(this.client, { ...ref, name: metadata.name ?? '' });
  }
}

/** Makes the namespace and the kind, and waits until the server takes objects of it. */
export async function openWorld(opened: OpenedClient): Promise<World> {
  const { client } = opened;
  const group = freshGroup();
  await installKinds(client, [boatCrd(group)], { fieldManager: 'contract' });
  const { metadata } = await client.create<KubeObject>(namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { generateName: 'chandlery-test-' },
  });
  const world = new World(opened, group, metadata.name ?? '');
  const trial: Boat = { apiVersion: `${group}/v1`, kind: 'Boat', metadata: { name: 'trial' } };
  const isReady = () => client.create(world.boats, trial, { isDryRun: true });
  await eventually(isReady, { what: 'the new kind to be ready', timeoutMs: timeoutMs });
  return world;
}

/** A group that is not in use. */
export const freshGroup = (): string => `${freshName()}.contract.chandlery.io`;

/** Removes the Boats of a group and their kind. */
export const removeKind = (client: Client, group: string): Promise<void> =>
  removed(client, { ...crds, name: `boats.${group}` });

async function removed(client: Client, ref: ObjectRef): Promise<void> {
  try {
    await client.delete(ref);
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}
