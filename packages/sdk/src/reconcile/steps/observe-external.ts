import type { StepResult } from '@chandlery/runtime';
import type { Observation } from '../../definition/service.ts';
import type { ServiceObject } from '../../definition/service-kind.ts';
import { allowsOf, contextOf, type ReconcileScope, statusOf } from '../reconcile-scope.ts';
import { recordChange, recordDrift } from '../record-changes.ts';

const nothingKnown: Observation = { exists: false, differences: [], isReady: true };

/** Observes the external resource and creates or updates it. */
export async function observeExternal(object: ServiceObject, scope: ReconcileScope): Promise<StepResult> {
  const { deps } = scope;
  const { service, api } = deps.definition;
  const context = contextOf(scope);
  const before = (await service.observe?.(object, context)) ?? nothingKnown;
  scope.observation = before;
  const isAsDesired = service.observe !== undefined && before.exists && before.differences.length === 0;
  const mayWrite = allowsOf(scope).has(before.exists ? 'Update' : 'Create');
  if (isAsDesired || !mayWrite || service.createOrUpdate === undefined) return 'continue';
  await service.createOrUpdate(object, context, before);
  if (service.observe === undefined) return 'continue';
  if (isDrift(scope)) recordDrift(scope, api.kind, scope.identity.name);
  recordChange(scope, before.exists ? 'update' : 'create', describe(scope, before));
  scope.observation = await service.observe(object, context);
  return 'continue';
}

/**
 * Whether another client changed the external resource: it was as desired before, and the desired state is the same.
 * Its readiness does not count, because it may have been unavailable when it was changed.
 */
function isDrift({ object, config }: ReconcileScope): boolean {
  const { fulfilledGeneration, configGeneration } = object.status ?? {};
  return fulfilledGeneration === object.metadata.generation && configGeneration === config?.metadata.generation;
}

function describe({ object }: ReconcileScope, { exists, differences }: Observation): string {
  const what = `${object.kind} "${object.metadata.name}"`;
  return exists || differences.length > 0 ? `${what}: ${differences.join(' ')}` : `${what}: did not exist.`;
}

/** Stores the generation of the configuration that the status refers to. After a change nothing counts as fulfilled. */
export function noteConfig(_object: ServiceObject, scope: ReconcileScope): StepResult {
  const { generation } = scope.config?.metadata ?? {};
  const status = statusOf(scope);
  if (generation === undefined || generation === status.configGeneration) return 'continue';
  status.configGeneration = generation;
  delete status.fulfilledGeneration;
  return 'continue';
}
