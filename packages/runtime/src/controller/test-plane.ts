import type { KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import { createKernelClient, Kernel, openStore, soleLeader } from '@chandlery/kernel';
import { type Clock, randomIds, systemClock } from '@chandlery/platform';
import { tempFolder } from '@chandlery/testing';

/** A kernel of its own in this process, and a client of its cluster `onboarding`, which serves Boats. */
export interface TestPlane extends AsyncDisposable {
  readonly client: Client;
}

export const boats: ResourceRef = { group: 'example.org', version: 'v1', plural: 'boats', namespace: 'default' };
export const boatRef = (name: string): ObjectRef => ({ ...boats, name });

/** What can be said about a boat. */
export interface Boat extends KubeObject {
  spec?: { sails?: number };
  status?: { observedGeneration?: number; sails?: number; lastHandledReconcileAt?: string };
}

export const boat = (name: string, metadata: KubeObject['metadata'] = {}): Boat => ({
  apiVersion: 'example.org/v1',
  kind: 'Boat',
  metadata: { name, namespace: 'default', ...metadata },
  spec: { sails: 1 },
});

const noCipher = { encrypt: (bytes: Uint8Array) => bytes, decrypt: (bytes: Uint8Array) => bytes };

/** Starts a plane: `await using plane = await startTestPlane()`. */
export async function startTestPlane(clock: Clock = systemClock): Promise<TestPlane> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const store = stack.use(await openStore({ type: 'sqlite', folder: folder.path }));
  const onFailure = (): void => undefined;
  const kernel = new Kernel({ store, cipher: noCipher, leadership: soleLeader, clock, ids: randomIds, onFailure });
  stack.use(kernel);
  await kernel.start();
  const client = stack.use(createKernelClient(kernel, { cluster: 'onboarding' }));
  await client.create(crds, boatCrd);
  const all = stack.move();
  return { client, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const boatCrd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
        subresources: { status: {} },
      },
    ],
  },
};
