import type { StepResult } from '@chandlery/runtime';
import type { Observation } from '../../definition/service.ts';
import { allowsOf, contextOf, type Pass, statusOf } from '../pass.ts';
import { recordChange, recordDrift } from '../record-changes.ts';

const nothingKnown: Observation = { exists: false, differences: [], isReady: true };

/** Looks at the world beyond the clusters and makes it be as it should. */
export async function observeWorld(pass: Pass): Promise<StepResult> {
  const { object, needs } = pass;
  const { service, api } = needs.definition;
  const context = contextOf(pass);
  const before = (await service.observe?.(object, context)) ?? nothingKnown;
  pass.observation = before;
  const isAsWished = service.observe !== undefined && before.exists && before.differences.length === 0;
  const mayWrite = allowsOf(pass).has(before.exists ? 'Update' : 'Create');
  if (isAsWished || !mayWrite || service.createOrUpdate === undefined) return 'continue';
  await service.createOrUpdate(object, context, before);
  if (service.observe === undefined) return 'continue';
  if (isDrift(pass)) recordDrift(pass, api.kind, pass.identity.name);
  recordChange(pass, before.exists ? 'update' : 'create', describe(pass, before));
  pass.observation = await service.observe(object, context);
  return 'continue';
}

/**
 * It was as wished before, and the wish is the same: somebody else changed the world. Whether it is ready now does not
 * matter: the world may have been away when it was changed.
 */
function isDrift({ object, config }: Pass): boolean {
  const { fulfilledGeneration, configGeneration } = object.status ?? {};
  return fulfilledGeneration === object.metadata.generation && configGeneration === config?.metadata.generation;
}

function describe({ object }: Pass, { exists, differences }: Observation): string {
  const what = `${object.kind} "${object.metadata.name}"`;
  return exists || differences.length > 0 ? `${what}: ${differences.join(' ')}` : `${what}: did not exist.`;
}

/** Remembers which configuration the status is about. With another one, nothing has been fulfilled yet. */
export function noteConfig(pass: Pass): StepResult {
  const { generation } = pass.config?.metadata ?? {};
  const status = statusOf(pass);
  if (generation === undefined || generation === status.configGeneration) return 'continue';
  status.configGeneration = generation;
  delete status.fulfilledGeneration;
  return 'continue';
}
