import {
  controllerOf,
  type StatedCondition,
  type Step,
  type StepResult,
  setCondition,
  setController,
} from '@chandlery/runtime';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import { endpointSets } from '../../kinds/endpoint-set.ts';
import { planResource } from '../../model/clouds/plan-resource.ts';
import { setNameOf } from '../../model/clouds/set-names.ts';
import type { CloudResourceDeps } from './cloud-resource-deps.ts';

/**
 * Writes the EndpointSets of a resource, which belong to it and are deleted with it. What others have under such a name is
 * not changed.
 */
export const publishEndpoints: Step<CloudResource, CloudResourceDeps> = async (
  resource,
  deps,
  { signal, now },
): Promise<StepResult> => {
  const { namespace = '', name: ownName = '', uid } = resource.metadata;
  const plan = planResource({
    nameOf: index => setNameOf(deps.cloud, ownName, index),
    cloud: `${deps.cloud}-${resource.spec.account}`,
    resource: resource.spec,
    account: deps.viewAccount(resource),
    present: deps.setsOf(resource),
  });
  const isTaken = (name: string): boolean => {
    const found = deps.findSet(namespace, name);
    return found !== undefined && controllerOf(found)?.uid !== uid;
  };
  const taken = plan.put.find(({ name }) => isTaken(name));
  if (taken !== undefined) {
    setCondition(resource, nameTaken(taken.name), now);
    return 'stop';
  }
  for (const { name, spec } of plan.put) {
    const set = endpointSets.object({ name, namespace }, spec);
    setController(set, resource);
    await deps.putSet(set, signal);
  }
  for (const name of plan.remove) await deps.deleteSet(namespace, name, signal);
  return 'continue';
};

const nameTaken = (name: string): StatedCondition => ({
  ...{ type: 'Ready', status: 'False', reason: 'NameTaken' },
  message: `the EndpointSet "${name}" exists and belongs to something else: delete it, or give the resource another name`,
});
