import { isError, type JsonObject, type KubeObject } from '@chandlery/api';
import {
  controllerOf,
  isConditionTrue,
  isDeleting,
  type Step,
  setCondition,
  setController,
  terminalError,
} from '@chandlery/runtime';
import { fieldManager } from '../broker-object.ts';
import type { ServiceBinding } from '../kinds.ts';
import { flattenCredentials } from './flatten-credentials.ts';
import { advanceCreation, advanceDeletion, type OsbItem } from './lifecycle.ts';
import { longestOperationMs, readParameters, report, type ServicesWorld } from './services-world.ts';

type BindingStep = Step<ServiceBinding, ServicesWorld>;

const secrets = { group: '', version: 'v1', plural: 'secrets' } as const;

/** Waits for the instance, and notes what it is at the broker. */
export const findInstance: BindingStep = (binding, { serviceInstances }, { now }) => {
  const status = statusOf(binding);
  if (status.externalId !== undefined) return 'continue';
  const instance = serviceInstances.get(binding.metadata.namespace, binding.spec.instance);
  const waitFor = (reason: string, message: string) => {
    setCondition(binding, { type: 'Ready', status: 'False', reason, message }, now);
    return 'stop' as const;
  };
  if (instance === undefined || isDeleting(instance))
    return waitFor('InstanceNotFound', `there is no service instance "${binding.spec.instance}"`);
  if (!isConditionTrue(instance, 'Ready') || instance.status === undefined)
    return waitFor('InstanceNotReady', `service instance "${binding.spec.instance}" is not ready`);
  const { broker, offeringId, planId, externalId: instanceId } = instance.status;
  const attempts = status.attempts ?? 0;
  const externalId = attempts === 0 ? binding.metadata.uid : `${binding.metadata.uid}-${attempts}`;
  Object.assign(status, { broker, offeringId, planId, instanceId, externalId });
  return 'continue';
};

/** Has the broker make the binding, and keeps its credentials in a secret. */
export const bind: BindingStep = async (binding, world, { now }) => {
  const secret = await findSecret(binding, world);
  if (secret !== undefined && controllerOf(secret)?.uid !== binding.metadata.uid)
    throw terminalError(`secret "${secretNameOf(binding)}" exists and is not of this binding`, {
      hint: 'Name another one in spec.secretName of a new binding.',
    });
  const item = await itemOf(binding, world, now);
  const wasThere = item.status.exists === true;
  if (wasThere && secret !== undefined) return 'continue';
  const progress = await advanceCreation(item, () => bindBody(binding, world));
  if (progress.type !== 'done')
    return report(binding, progress, { reason: progress.type === 'wait' ? 'Binding' : 'BindFailed', now });
  const credentials = progress.body['credentials'] ?? (await fetchCredentials(binding, item, world));
  await writeSecret(binding, (credentials ?? {}) as JsonObject, world);
  return 'continue';
};

/** The credentials are there. */
export const reportBinding: BindingStep = (binding, _world, { now }) => {
  setCondition(binding, { type: 'Ready', status: 'True', reason: 'Bound' }, now);
  return 'continue';
};

/** Has the broker remove the binding. The secret goes with the object. */
export const unbind: BindingStep = async (binding, world, { now }) => {
  if (binding.status?.externalId === undefined || binding.status.platformRemoved === true) return 'continue';
  const progress = await advanceDeletion(await itemOf(binding, world, now));
  if (progress.type === 'done') return 'continue';
  return report(binding, progress, { reason: progress.type === 'wait' ? 'Unbinding' : 'UnbindFailed', now });
};

type BindingStatus = NonNullable<ServiceBinding['status']>;

function statusOf(binding: ServiceBinding): BindingStatus {
  binding.status ??= {};
  return binding.status;
}

const secretNameOf = ({ metadata, spec }: ServiceBinding): string => spec.secretName ?? metadata.name ?? '';

async function itemOf(binding: ServiceBinding, world: ServicesWorld, now: Date): Promise<OsbItem> {
  const status = statusOf(binding);
  const broker = world.serviceBrokers.get(undefined, status.broker ?? '');
  if (broker === undefined) throw terminalError(`service broker "${status.broker}" is not registered here any more`);
  const { pollMs, retryMs } = world;
  return {
    status,
    call: await world.brokers.open(broker),
    path: `/v2/service_instances/${status.instanceId}/service_bindings/${status.externalId}`,
    ids: { service_id: status.offeringId ?? '', plan_id: status.planId ?? '' },
    now,
    pollMs,
    retryMs,
    longestMs: longestOperationMs,
  };
}

async function bindBody(binding: ServiceBinding, { client, clusterId }: ServicesWorld): Promise<JsonObject> {
  const { namespace = '' } = binding.metadata;
  const status = statusOf(binding);
  return {
    service_id: status.offeringId ?? '',
    plan_id: status.planId ?? '',
    bind_resource: { app_guid: binding.metadata.uid ?? '' },
    context: { platform: 'kubernetes', namespace, clusterid: clusterId },
    parameters: await readParameters(client, namespace, binding.spec),
  };
}

/** Credentials that came with no answer: of a binding made in the background, or whose secret somebody removed. */
async function fetchCredentials(binding: ServiceBinding, item: OsbItem, world: ServicesWorld): Promise<unknown> {
  const { broker, offeringId } = statusOf(binding);
  const isOwn = ({ spec }: { spec: { broker: string; offeringId: string } }) =>
    spec.broker === broker && spec.offeringId === offeringId;
  const canFetch = world.serviceClasses.list().find(isOwn)?.status?.bindingsRetrievable === true;
  const query = { accepts_incomplete: 'true' };
  // An identical order is answered by what is there.
  const answered = canFetch
    ? await item.call({ path: item.path, query: item.ids })
    : await item.call({ method: 'PUT', path: item.path, query, json: await bindBody(binding, world) });
  if (answered.status === 200 || answered.status === 201) return (answered.json as JsonObject)['credentials'];
  throw new Error(`the broker does not tell the credentials: it answered ${answered.status}`);
}

async function findSecret(binding: ServiceBinding, { client }: ServicesWorld): Promise<KubeObject | undefined> {
  const { namespace = '' } = binding.metadata;
  try {
    return await client.get({ ...secrets, namespace, name: secretNameOf(binding) });
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function writeSecret(binding: ServiceBinding, credentials: JsonObject, { client }: ServicesWorld): Promise<void> {
  const { namespace = '' } = binding.metadata;
  const name = secretNameOf(binding);
  const data = flattenCredentials(credentials);
  const body: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data };
  setController(body, binding);
  await client.patch({ ...secrets, namespace, name }, { type: 'apply', body, force: true }, { fieldManager });
}
