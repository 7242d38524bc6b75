import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import {
  type Controller,
  createController,
  isSameJson,
  keyOf,
  ownerReference,
  type StepResult,
} from '@chandlery/runtime';
import { isSelected } from '../../model/workloads/claims.ts';
import { managedBy, managedByLabel, planSlices, serviceNameLabel } from '../../model/workloads/endpoint-slices.ts';
import type { EndpointSlice, PodObject, Service } from '../../model/workloads/objects.ts';
import { refs, refTo } from './refs.ts';
import { serviceKey } from './workload-caches.ts';
import { plainOptions, type WorkloadDeps } from './workload-deps.ts';
import type { WrittenCache } from './written-cache.ts';

interface Deps {
  podsOf(service: Service): readonly PodObject[];
  readonly client: Pick<Client, 'create' | 'update' | 'delete'>;
  readonly slices: WrittenCache<EndpointSlice>;
}

/** Publishes the pods of a service and their ports. */
export function endpointSliceController(deps: WorkloadDeps): Controller {
  const { client, caches } = deps;
  const { services, endpointSlices, pods } = caches;
  const servicesOf = (pod: PodObject): readonly string[] =>
    services
      .list(pod.metadata.namespace)
      .filter(service => selects(service, pod))
      .map(keyOf);
  return createController<Service, Deps>({
    ...plainOptions<Service>(deps, 'endpointslices'),
    for: { ref: refs.services, informer: services },
    owns: [{ informer: endpointSlices.informer, mapToKeys: ({ metadata }) => keysOfSlice(metadata) }],
    watches: [{ informer: pods.informer, mapToKeys: servicesOf }],
    steps: [ensureSlices],
    needs: {
      podsOf: service => pods.informer.list(service.metadata.namespace).filter(pod => selects(service, pod)),
      client,
      slices: endpointSlices,
    },
  });
}

const keysOfSlice = ({ namespace, labels }: EndpointSlice['metadata']): readonly string[] => {
  const name = labels?.[managedByLabel] === managedBy ? labels[serviceNameLabel] : undefined;
  return name === undefined ? [] : [serviceKey(namespace, name)];
};

const selects = ({ spec }: Service, pod: PodObject): boolean =>
  spec?.type !== 'ExternalName' && isSelected({ matchLabels: spec?.selector ?? {} }, pod);

/** New slices first: during a change an endpoint may be listed twice, but is never missing. */
async function ensureSlices(service: Service, deps: Deps): Promise<StepResult> {
  const isOurs = Object.keys(service.spec?.selector ?? {}).length > 0 && service.spec?.type !== 'ExternalName';
  if (!isOurs) return 'stop';
  const wanted = planSlices(service, deps.podsOf(service)).map(slice => asObject(service, slice));
  const { namespace, name = '' } = service.metadata;
  const present = deps.slices
    .find(serviceKey(namespace, name))
    .filter(({ metadata }) => metadata.labels?.[managedByLabel] === managedBy && !metadata.deletionTimestamp);
  for (const slice of wanted) {
    await writeSlice(
      deps,
      slice,
      present.find(({ metadata }) => metadata.name === slice.metadata.name),
    );
  }
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  for (const slice of present) if (!names.has(slice.metadata.name)) await removeSlice(deps, slice);
  return 'continue';
}

function asObject(service: Service, slice: Omit<EndpointSlice, 'apiVersion' | 'kind'>): EndpointSlice {
  const owner = ownerReference(service, { controller: true, blockOwnerDeletion: true });
  const metadata = { ...(slice as EndpointSlice).metadata, ownerReferences: [owner] };
  return { ...slice, apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata };
}

async function writeSlice(
  { client, slices }: Deps,
  slice: EndpointSlice,
  present: EndpointSlice | undefined,
): Promise<void> {
  const { namespace = '' } = slice.metadata;
  if (present === undefined) {
    slices.wrote(await client.create<EndpointSlice>({ ...refs.endpointSlices, namespace }, slice));
  } else if (!isSameSlice(slice, present)) {
    const { uid = '', resourceVersion = '' } = present.metadata;
    const next = { ...slice, metadata: { ...slice.metadata, uid, resourceVersion } };
    slices.wrote(await client.update<EndpointSlice>(refTo(refs.endpointSlices, slice), next));
  }
}

const isSameSlice = (wanted: EndpointSlice, present: EndpointSlice): boolean =>
  isSameJson(wanted.endpoints ?? [], present.endpoints ?? []) &&
  isSameJson(wanted.ports ?? [], present.ports ?? []) &&
  isSameJson(wanted.metadata.labels, present.metadata.labels) &&
  isSameJson(wanted.metadata.ownerReferences, present.metadata.ownerReferences);

async function removeSlice({ client, slices }: Deps, slice: EndpointSlice): Promise<void> {
  const { uid } = slice.metadata;
  try {
    await client.delete(refTo(refs.endpointSlices, slice), { preconditions: uid === undefined ? {} : { uid } });
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
  slices.removed(slice);
}
