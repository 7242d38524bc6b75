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
import { advanceCreation, advanceDeletion, type OsbItem } from './lifecycle.ts';
import { maxOperationMs, readParameters, report, type ServicesDeps } from './services-deps.ts';

type BindingStep = Step<ServiceBinding, ServicesDeps>;

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
export const bind: BindingStep = async (binding, deps, { now }) => {
  const secret = await findSecret(binding, deps);
  if (secret !== undefined && controllerOf(secret)?.uid !== binding.metadata.uid)
    throw terminalError(`secret "${secretNameOf(binding)}" exists and is not of this binding`, {
      hint: 'Name another one in spec.secretName of a new binding.',
    });
  const item = await itemOf(binding, deps, now);
  const wasThere = item.status.exists === true;
  if (wasThere && secret !== undefined) return 'continue';
  const progress = await advanceCreation(item, () => bindBody(binding, deps));
  if (progress.type !== 'done')
    return report(binding, progress, { reason: progress.type === 'wait' ? 'Binding' : 'BindFailed', now });
  const credentials = progress.body['credentials'] ?? (await fetchCredentials(binding, item, deps));
  await writeSecret(binding, (credentials ?? {}) as JsonObject, deps);
  return 'continue';
};

/** The credentials are there. */
export const reportBinding: BindingStep = (binding, _deps, { now }) => {
  setCondition(binding, { type: 'Ready', status: 'True', reason: 'Bound' }, now);
  return 'continue';
};

/** Has the broker remove the binding. The secret goes with the object. */
export const unbind: BindingStep = async (binding, deps, { now }) => {
  if (binding.status?.externalId === undefined || binding.status.platformRemoved === true) return 'continue';
  const progress = await advanceDeletion(await itemOf(binding, deps, now));
  if (progress.type === 'done') return 'continue';
  return report(binding, progress, { reason: progress.type === 'wait' ? 'Unbinding' : 'UnbindFailed', now });
};

type BindingStatus = NonNullable<ServiceBinding['status']>;

function statusOf(binding: ServiceBinding): BindingStatus {
  binding.status ??= {};
  return binding.status;
}

const secretNameOf = ({ metadata, spec }: ServiceBinding): string => spec.secretName ?? metadata.name ?? '';

async function itemOf(binding: ServiceBinding, deps: ServicesDeps, now: Date): Promise<OsbItem> {
  const status = statusOf(binding);
  const broker = deps.serviceBrokers.get(undefined, status.broker ?? '');
  if (broker === undefined) throw terminalError(`service broker "${status.broker}" is not registered here any more`);
  const { pollMs, retryMs } = deps;
  return {
    status,
    call: await deps.brokers.open(broker),
    path: `/v2/service_instances/${status.instanceId}/service_bindings/${status.externalId}`,
    ids: { service_id: status.offeringId ?? '', plan_id: status.planId ?? '' },
    now,
    pollMs,
    retryMs,
    maxDurationMs: maxOperationMs,
  };
}

async function bindBody(binding: ServiceBinding, { client, clusterId }: ServicesDeps): Promise<JsonObject> {
  const { namespace = '', uid = '' } = binding.metadata;
  const { serviceAccountName: account } = binding.spec;
  const status = statusOf(binding);
  return {
    service_id: status.offeringId ?? '',
    plan_id: status.planId ?? '',
    bind_resource: { app_guid: uid, ...(account === undefined ? {} : { service_account: account }) },
    context: { platform: 'kubernetes', namespace, clusterid: clusterId },
    parameters: await readParameters(client, namespace, binding.spec),
  };
}

/** Fetches the credentials of a binding that was created asynchronously, or whose secret was removed. */
async function fetchCredentials(binding: ServiceBinding, item: OsbItem, deps: ServicesDeps): Promise<unknown> {
  const { broker, offeringId } = statusOf(binding);
  const isOwn = ({ spec }: { spec: { broker: string; offeringId: string } }) =>
    spec.broker === broker && spec.offeringId === offeringId;
  const canFetch = deps.serviceClasses.list().find(isOwn)?.status?.bindingsRetrievable === true;
  const query = { accepts_incomplete: 'true' };
  // An identical order is answered by what is there.
  const response = canFetch
    ? await item.call({ path: item.path, query: item.ids })
    : await item.call({ method: 'PUT', path: item.path, query, json: await bindBody(binding, deps) });
  if (response.status === 200 || response.status === 201) return (response.json as JsonObject)['credentials'];
  throw new Error(`the broker does not return the credentials: it responded with ${response.status}`);
}

async function findSecret(binding: ServiceBinding, { client }: ServicesDeps): Promise<KubeObject | undefined> {
  const { namespace = '' } = binding.metadata;
  try {
    return await client.get({ ...secrets, namespace, name: secretNameOf(binding) });
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function writeSecret(binding: ServiceBinding, credentials: JsonObject, { client }: ServicesDeps): Promise<void> {
  const { namespace = '' } = binding.metadata;
  const name = secretNameOf(binding);
  const data = flattenCredentials(credentials);
  const body: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data };
  setController(body, binding);
  await client.patch({ ...secrets, namespace, name }, { type: 'apply', body, force: true }, { fieldManager });
}

/**
 * Credentials as the data of a secret: one key for each at the top, texts as they are, everything else as JSON. Characters
 * that a key cannot have become `_`.
 */
function flattenCredentials(credentials: JsonObject): Record<string, string> {
  const entries = Object.entries(credentials).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [key.replaceAll(/[^-._a-zA-Z0-9]/g, '_'), encoded(value)]));
}

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
