import type { JsonObject } from '@chandlery/api';
import { isSameJson } from '@chandlery/runtime';
import { ownPlatformId } from '../../kinds/index.ts';
import { hashParameters } from '../json.ts';
import { type InstanceRow, type OperationRow, type RegistryWrite, updateRow } from '../rows.ts';
import { instanceContext } from './broker-requests.ts';
import { changeOf, type OperationChange, succeedOperation } from './operation-end.ts';
import { isFromKubernetes } from './operation-state.ts';
import { available, statedConditions, synced } from './row-conditions.ts';

type InstanceStatus = InstanceRow['status'];

/** What a success is recorded from. */
interface InstanceSuccess {
  readonly operation: OperationRow;
  readonly instance: InstanceRow;
  /** The plan that the broker knows from now on. */
  readonly planId: string;
  /** The broker's last word; that of a poll says nothing about the instance. */
  readonly body: JsonObject;
  /** Undefined: none were sent. */
  readonly parameters: JsonObject | undefined;
  readonly now: Date;
  /** Default: it stays as it is; for an update, what the operation says. */
  readonly spec?: InstanceRow['spec'];
}

/** An instance has come about. */
export function instanceCreated(success: InstanceSuccess): RegistryWrite[] {
  const { operation, instance, planId, parameters, now } = success;
  const status: InstanceStatus = {
    ...instance.status,
    ...instanceFacts(success.body),
    ready: true,
    usable: true,
    planId,
    // Both are known already when a platform has asked and only the end was waited for here.
    context: instance.status.context ?? instanceContext(instance),
    request: instance.status.request ?? requestOf(parameters),
    conditions: statedConditions(instance, [available, synced], now),
    // What changed in the meantime by kubectl is found by comparing, so it must not be called seen.
    ...(isFromKubernetes(operation) ? {} : { observedGeneration: instance.generation }),
  };
  const { spec = instance.spec } = success;
  return [updateRow({ table: 'instances', row: instance, spec, status }), ...succeedOperation(operation)];
}

/** An instance has been changed as the operation says. */
export function instanceUpdated(success: InstanceSuccess): RegistryWrite[] {
  const { operation, instance, planId, parameters, now } = success;
  const change = changeOf(operation);
  const spec = changedSpec(instance, change);
  const status: InstanceStatus = {
    ...instance.status,
    ...instanceFacts(success.body),
    ready: true,
    usable: true,
    planId,
    context: contextAfter(instance, change),
    ...(parameters === undefined ? {} : { request: requestOf(parameters) }),
    conditions: statedConditions(instance, [available, synced], now),
    ...(isFromKubernetes(operation) ? {} : observedAfter(instance, spec)),
  };
  return [updateRow({ table: 'instances', row: instance, spec, status }), ...succeedOperation(operation)];
}

/** What an answer says of an instance, in the words of the status. Absent fields keep what was known. */
export function instanceFacts(body: JsonObject): Partial<InstanceStatus> {
  const { dashboard_url: dashboardUrl, metadata } = body;
  return {
    ...(typeof dashboardUrl === 'string' ? { dashboardUrl } : {}),
    ...(typeof metadata === 'object' && metadata !== null ? { metadata: metadata as Record<string, unknown> } : {}),
  };
}

function changedSpec({ spec }: InstanceRow, change: OperationChange): InstanceRow['spec'] {
  const { planId, name, maintenanceInfo, labels, platformId } = change;
  return {
    ...spec,
    ...(planId === undefined ? {} : { planId }),
    ...(name === undefined ? {} : { name }),
    ...(maintenanceInfo === undefined ? {} : { maintenanceInfo }),
    ...(labels === undefined ? {} : { labels }),
    ...(platformId === undefined ? {} : { platformId }),
  };
}

/** Marks the new generation as observed, so that the adoption controller does not treat the change as a request. */
function observedAfter({ generation, spec: before }: InstanceRow, spec: InstanceRow['spec']): Partial<InstanceStatus> {
  return { observedGeneration: isSameJson(before, spec) ? generation : generation + 1 };
}

/** The context of an instance that stays on another platform is that platform's. */
function contextAfter(instance: InstanceRow, { platformId, name }: OperationChange) {
  const owner = platformId ?? instance.spec.platformId ?? ownPlatformId;
  return owner === ownPlatformId ? instanceContext(instance, name) : instance.status.context;
}

const requestOf = (parameters: JsonObject | undefined) => ({
  organizationGuid: '-',
  spaceGuid: '-',
  parametersHash: hashParameters(parameters),
});
