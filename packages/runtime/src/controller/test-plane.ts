import type { KubeObject } from '@chandlery/api';
import type { ObjectRef, ResourceRef } from '@chandlery/client';
import { type Clock, systemClock } from '@chandlery/platform';
import { startTestPlane as startPlane, type TestPlane } from '@chandlery/testing';

export type { TestPlane };

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

/** Starts a plane whose cluster `onboarding` serves Boats. */
export async function startTestPlane(clock: Clock = systemClock): Promise<TestPlane> {
  const plane = await startPlane({ clock });
  await plane.client.create(crds, boatCrd);
  return plane;
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
