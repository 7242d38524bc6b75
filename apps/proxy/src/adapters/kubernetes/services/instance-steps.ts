import { hash } from 'node:crypto';
import type { JsonObject } from '@chandlery/api';
import { type Step, type StepResult, setCondition, terminalError } from '@chandlery/runtime';
import type { ServiceInstance } from '../kinds.ts';
import { choosePlan } from './choose-plan.ts';
import { advanceCreation, advanceDeletion, advanceUpdate, type OsbItem } from './lifecycle.ts';
import { maxOperationMs, readParameters, report, type ServicesDeps } from './services-deps.ts';

type InstanceStep = Step<ServiceInstance, ServicesDeps>;

/** Has the broker make the instance. */
export const provision: InstanceStep = async (instance, deps, { now }): Promise<StepResult> => {
  const status = statusOf(instance);
  if (isNew(instance)) {
    const choice = choosePlan(deps.serviceClasses.list(), instance.spec);
    if (choice.type === 'none') {
      const { reason, message } = choice;
      setCondition(instance, { type: 'Ready', status: 'False', reason, message }, now);
      return 'stop';
    }
    const { broker, offeringId } = choice.serviceClass.spec;
    Object.assign(status, { broker, offeringId, planId: choice.planId, externalId: newId(instance) });
  }
  const item = await itemOf(instance, deps, now);
  const wasThere = status.exists === true;
  const progress = await advanceCreation(item, () => provisionBody(instance, deps));
  if (progress.type !== 'done')
    return report(instance, progress, { reason: progress.type === 'wait' ? 'Provisioning' : 'ProvisionFailed', now });
  if (!wasThere) takeDashboard(instance, progress.body);
  return 'continue';
};

/** Has the broker change the instance to the desired plan and parameters. */
export const update: InstanceStep = async (instance, deps, { now }): Promise<StepResult> => {
  const status = statusOf(instance);
  if (status.operation?.type !== 'update') {
    const sent = await desiredOf(instance, deps);
    if (sent.wish === status.applied || sent.wish === status.refused) return 'continue';
    status.sent = sent;
  }
  const item = await itemOf(instance, deps, now);
  const progress = await advanceUpdate(item, () => updateBody(instance, deps));
  const { sent } = status;
  if (progress.type === 'wait') return report(instance, progress, { reason: 'Updating', now });
  if (progress.type === 'failed') {
    if (progress.retryAfterMs === undefined && sent !== undefined) status.refused = sent.wish;
    delete status.sent;
    return report(instance, progress, { reason: 'UpdateFailed', now });
  }
  if (sent !== undefined) Object.assign(status, { applied: sent.wish, planId: sent.planId });
  delete status.sent;
  delete status.refused;
  takeDashboard(instance, progress.body);
  return 'continue';
};

/** Reports that the broker has the desired instance, or has rejected a change of it. */
export const reportInstance: InstanceStep = async (instance, deps, { now }): Promise<StepResult> => {
  const { wish } = await desiredOf(instance, deps);
  // What was said when the change was refused stays.
  if (wish === statusOf(instance).refused) return 'continue';
  setCondition(instance, { type: 'Ready', status: 'True', reason: 'Provisioned' }, now);
  return 'continue';
};

/** Has the broker remove the instance, once nothing is bound to it. */
export const deprovision: InstanceStep = async (instance, deps, { now }): Promise<StepResult> => {
  const { namespace, name } = instance.metadata;
  const bound = deps.serviceBindings.list(namespace).filter(({ spec }) => spec.instance === name);
  if (bound.length > 0) {
    const names = bound.map(({ metadata }) => metadata.name).sort();
    const message = `service bindings still exist: ${names.join(', ')}`;
    setCondition(instance, { type: 'Ready', status: 'False', reason: 'BindingsExist', message }, now);
    return 'stop';
  }
  if (instance.status?.externalId === undefined || instance.status.platformRemoved === true) return 'continue';
  const progress = await advanceDeletion(await itemOf(instance, deps, now));
  if (progress.type === 'done') return 'continue';
  return report(instance, progress, { reason: progress.type === 'wait' ? 'Deprovisioning' : 'DeprovisionFailed', now });
};

type InstanceStatus = NonNullable<ServiceInstance['status']>;

function statusOf(instance: ServiceInstance): InstanceStatus {
  instance.status ??= {};
  return instance.status;
}

/** Nothing is at the broker, and nothing may be. */
const isNew = ({ status }: ServiceInstance): boolean =>
  status?.externalId === undefined || (!status.exists && !status.operation && !status.isOrphan);

/** Brokers remember ids: one that failed is not used again. */
function newId({ metadata, status }: ServiceInstance): string {
  const attempts = status?.attempts ?? 0;
  return attempts === 0 ? (metadata.uid ?? '') : `${metadata.uid}-${attempts}`;
}

async function itemOf(instance: ServiceInstance, deps: ServicesDeps, now: Date): Promise<OsbItem> {
  const status = statusOf(instance);
  const broker = deps.serviceBrokers.get(undefined, status.broker ?? '');
  if (broker === undefined) throw terminalError(`service broker "${status.broker}" is not registered here any more`);
  const { pollMs, retryMs } = deps;
  return {
    status,
    call: await deps.brokers.open(broker),
    path: `/v2/service_instances/${status.externalId}`,
    ids: { service_id: status.offeringId ?? '', plan_id: status.planId ?? '' },
    now,
    pollMs,
    retryMs,
    maxDurationMs: maxDurationMs(deps, status),
  };
}

function maxDurationMs({ serviceClasses }: ServicesDeps, { broker, planId }: InstanceStatus): number {
  const plans = serviceClasses
    .list()
    .flatMap(({ spec, status }) => (spec.broker === broker ? (status?.plans ?? []) : []));
  const seconds = plans.find(({ id }) => id === planId)?.maximumPollingSeconds;
  return seconds === undefined ? maxOperationMs : Math.min(seconds * 1000, maxOperationMs);
}

async function provisionBody(instance: ServiceInstance, deps: ServicesDeps): Promise<JsonObject> {
  const { client, clusterId } = deps;
  const { namespace = '' } = instance.metadata;
  const status = statusOf(instance);
  const parameters = await readParameters(client, namespace, instance.spec);
  const { metadata } = await client.get({ group: '', version: 'v1', plural: 'namespaces', name: namespace });
  status.applied = desiredHash(status.planId ?? '', parameters);
  return {
    service_id: status.offeringId ?? '',
    plan_id: status.planId ?? '',
    organization_guid: clusterId,
    space_guid: metadata.uid ?? namespace,
    context: contextOf(instance, clusterId),
    parameters,
  };
}

async function updateBody(instance: ServiceInstance, { client, clusterId }: ServicesDeps): Promise<JsonObject> {
  const status = statusOf(instance);
  const planId = status.sent?.planId ?? status.planId ?? '';
  return {
    service_id: status.offeringId ?? '',
    ...(planId === status.planId ? {} : { plan_id: planId }),
    context: contextOf(instance, clusterId),
    parameters: await readParameters(client, instance.metadata.namespace ?? '', instance.spec),
    previous_values: { plan_id: status.planId ?? '' },
  };
}

const contextOf = ({ metadata }: ServiceInstance, clusterId: string): JsonObject => ({
  platform: 'kubernetes',
  namespace: metadata.namespace ?? '',
  clusterid: clusterId,
  instance_name: metadata.name ?? '',
});

/** The desired plan and parameters. A plan that is no longer offered stays. */
async function desiredOf(instance: ServiceInstance, { client, serviceClasses }: ServicesDeps) {
  const { broker } = statusOf(instance);
  const spec = { ...instance.spec, ...(broker === undefined ? {} : { broker }) };
  const choice = choosePlan(serviceClasses.list(), spec);
  const planId = choice.type === 'found' ? choice.planId : (statusOf(instance).planId ?? '');
  const parameters = await readParameters(client, instance.metadata.namespace ?? '', instance.spec);
  return { wish: desiredHash(planId, parameters), planId };
}

/** A hash of plan and parameters, which reveals no parameters. */
const desiredHash = (planId: string, parameters: JsonObject): string =>
  hash('sha256', JSON.stringify([planId, sortedKeys(parameters)])).slice(0, 32);

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, inner]) => [key, sortedKeys(inner)]);
}

function takeDashboard(instance: ServiceInstance, { dashboard_url }: JsonObject): void {
  if (typeof dashboard_url === 'string') statusOf(instance).dashboardUrl = dashboard_url;
}
