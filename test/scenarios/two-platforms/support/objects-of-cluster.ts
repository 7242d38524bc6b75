import { isError, type KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import type { ProcessResult } from '@chandlery/testing';
import type { StoryWorld } from './story-world.ts';

const services = { group: 'services.chandlery.io', version: 'v1alpha1' } as const;

/** What users and the proxy have on platform A. */
export const collections = {
  serviceBrokers: { ...services, plural: 'servicebrokers' },
  serviceClasses: { ...services, plural: 'serviceclasses' },
  serviceInstances: { ...services, plural: 'serviceinstances', namespace: 'default' },
  serviceBindings: { ...services, plural: 'servicebindings', namespace: 'default' },
  secrets: { group: '', version: 'v1', plural: 'secrets', namespace: 'default' },
  brokerSecrets: { group: '', version: 'v1', plural: 'secrets', namespace: 'chandlery-proxy' },
} as const satisfies Record<string, ResourceRef>;

/** The fields of a service object that the story reads. */
export interface ServiceObject extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly externalId?: string;
    readonly planNames?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message?: string;
    }[];
  };
}

/** All objects of a collection; none while the kind is not there yet. */
export async function listObjects({ clusterClient }: StoryWorld, ref: ResourceRef): Promise<readonly ServiceObject[]> {
  try {
    return (await clusterClient.list<ServiceObject>(ref)).items;
  } catch (error) {
    if (isError(error, 'NotFound')) return [];
    throw error;
  }
}

export async function getObject(world: StoryWorld, ref: ResourceRef, name: string): Promise<ServiceObject> {
  return world.clusterClient.get<ServiceObject>({ ...ref, name });
}

/** The condition that says whether it works. */
export const readyOf = ({ status }: ServiceObject) => status?.conditions?.find(({ type }) => type === 'Ready');

/** The texts in a secret. */
export async function secretTexts(world: StoryWorld, ref: ResourceRef, name: string): Promise<Record<string, string>> {
  const { data = {} } = (await getObject(world, ref, name)) as { data?: Record<string, string> };
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

/** Applies objects as a user of the cluster does; again if the cluster is away. */
export async function applyByKubectl({ cluster }: StoryWorld, object: object): Promise<void> {
  let last: ProcessResult | undefined;
  for (let attempt = 0; attempt < 30; attempt++) {
    last = await cluster.kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(object) });
    if (last.code === 0) return;
  }
  throw new Error(`kubectl apply: ${last?.stderr ?? ''}`);
}

export const serviceInstance = {
  apiVersion: 'services.chandlery.io/v1alpha1',
  kind: 'ServiceInstance',
  metadata: { name: 'db', namespace: 'default' },
  spec: { offering: 'database', plan: 'async-shared', parameters: { size: 3 } },
} as const;

export const serviceBinding = (name: string) =>
  ({
    apiVersion: 'services.chandlery.io/v1alpha1',
    kind: 'ServiceBinding',
    metadata: { name, namespace: 'default' },
    spec: { instance: 'db' },
  }) as const;
