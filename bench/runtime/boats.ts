import type { KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import { installKinds, type Step } from '@chandlery/runtime';

/** The kind that everything is measured with. */
export interface Boat extends KubeObject {
  spec?: { sails?: number; cargo?: string };
  status?: { sails?: number };
}

const group = 'bench.chandlery.io';
export const boats: ResourceRef = { group, version: 'v1', plural: 'boats' };
export const boatsIn = (namespace: string): ResourceRef => ({ ...boats, namespace });
export const boatAt = (namespace: string, name: string): ObjectRef => ({ ...boats, namespace, name });
export const boatName = (index: number): string => `boat-${index}`;

/** About half a kilobyte, so that an object is about as large as usual ones. */
const cargo = 'barrel '.repeat(70);

/** States in the status what the spec wants: one write for a boat that is new or changed. */
export const hoist: Step<Boat, object> = boat => {
  boat.status = { ...boat.status, sails: boat.spec?.sails ?? 0 };
  return 'continue';
};

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const crd: KubeObject = {
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
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
        subresources: { status: {} },
      },
    ],
  },
};

/** Makes the server know boats, and the namespaces. */
export async function prepare(client: Client, namespaces: readonly string[]): Promise<void> {
  await installKinds(client, [crd], { fieldManager: 'bench' });
  for (const name of namespaces) {
    const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await client.create({ group: '', version: 'v1', plural: 'namespaces' }, namespace);
  }
}

/** Creates boats, many at a time. */
export async function createBoats(client: Client, namespace: string, count: number): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      await client.create<Boat>(boatsIn(namespace), {
        apiVersion: `${group}/v1`,
        kind: 'Boat',
        metadata: { name: boatName(index), labels: { fleet: `fleet-${index % 10}` } },
        spec: { sails: 1, cargo },
      });
    }
  };
  await Promise.all(Array.from({ length: 64 }, work));
}

/** Changes what a boat should have. */
export const setSails = (client: Client, at: ObjectRef, sails: number): Promise<Boat> =>
  client.patch<Boat>(at, { type: 'merge', body: { spec: { sails } } });
