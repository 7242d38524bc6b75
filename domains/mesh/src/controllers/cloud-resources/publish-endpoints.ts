import { controllerOf, type Step, type StepResult, setController, terminalError } from '@chandlery/runtime';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import { endpointSets } from '../../kinds/endpoint-set.ts';
import { planResource } from '../../model/clouds/plan-resource.ts';
import type { CloudResourceDeps } from './cloud-resource-deps.ts';

/** Writes the EndpointSets of a resource, which belong to it and are deleted with it. */
export const publishEndpoints: Step<CloudResource, CloudResourceDeps> = async (
  resource,
  deps,
  { signal },
): Promise<StepResult> => {
  const { namespace = '', name: ownName = '', uid } = resource.metadata;
  const plan = planResource({
    name: `${deps.cloud}-${ownName}`,
    cloud: `${deps.cloud}-${resource.spec.account}`,
    resource: resource.spec,
    account: deps.viewAccount(resource),
    present: deps.setsOf(resource),
  });
  for (const { name, spec } of plan.put) {
    const found = deps.findSet(namespace, name);
    if (found !== undefined && controllerOf(found)?.uid !== uid) throw nameTaken(name);
    const set = endpointSets.object({ name, namespace }, spec);
    setController(set, resource);
    await deps.putSet(set, signal);
  }
  for (const name of plan.remove) await deps.deleteSet(namespace, name, signal);
  return 'continue';
};

const nameTaken = (name: string) =>
  terminalError(`the EndpointSet "${name}" exists and belongs to something else`, {
    hint: 'Delete it, or give the resource another name.',
  });
