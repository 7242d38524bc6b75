import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { ComponentBinding } from '../../kinds/index.ts';
import { chooseKinds } from '../../model/components/bind-component.ts';
import type { BindingDeps } from './binding-deps.ts';

/**
 * Serves the kinds of a binding on the project's own API. Bound kinds stay served while the component is not available.
 */
export async function bindComponent(
  binding: ComponentBinding,
  deps: BindingDeps,
  { now }: StepContext,
): Promise<StepResult> {
  const { namespace = '' } = binding.metadata;
  const project = deps.findProject(namespace);
  if (project === undefined) return state(binding, { phase: 'NotFound', ...notInProject(namespace) }, now);
  const choice = chooseKinds(binding, deps.findProvider(binding.spec.component));
  if (choice.type === 'refused') return state(binding, { phase: phaseOf(choice.reason), ...choice }, now);
  const kinds = deps.served(choice.kinds);
  if (kinds.length < choice.kinds.length) return state(binding, { phase: 'Pending', ...notServed }, now);
  const cluster = project.status?.cluster?.name;
  const isServed = cluster !== undefined && (await deps.serve(binding, cluster, kinds));
  if (deps.hasClusters && !isServed) return state(binding, { phase: 'Pending', ...noCluster }, now);
  binding.status = { ...binding.status, resources: kinds.map(kind => ({ ...kind })) };
  const message = `Served on the tenant's own API: ${kinds.map(({ kind }) => kind).join(', ')}.`;
  return state(binding, { phase: 'Bound', reason: 'Bound', message }, now);
}

const phaseOf = (reason: string): string => (reason === 'ComponentNotReady' ? 'Pending' : 'NotFound');

interface State {
  readonly phase: string;
  readonly reason: string;
  readonly message: string;
}

/** Reports the state of a binding. */
export function state(binding: ComponentBinding, { phase, reason, message }: State, now: Date): StepResult {
  const status = phase === 'Bound' ? 'True' : 'False';
  setCondition(binding, { type: 'Ready', status, reason, message }, now);
  binding.status = { ...binding.status, phase };
  return phase === 'Bound' ? 'continue' : 'stop';
}

const notServed = {
  reason: 'ComponentNotReady',
  message: 'Not all of its kinds are served yet; it is bound as soon as they are.',
};

const noCluster = {
  reason: 'TenantClusterPending',
  message: "The project's own API is not there yet; its status says why.",
};

const notInProject = (namespace: string) => ({
  reason: 'ProjectNotFound',
  message: `Namespace "${namespace}" is not that of a project; create the binding in a namespace project-<name>.`,
});
