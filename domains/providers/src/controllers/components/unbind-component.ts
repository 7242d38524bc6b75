import type { StepContext, StepResult } from '@chandlery/runtime';
import type { ComponentBinding } from '../../kinds/index.ts';
import { kindId, type ServedKind } from '../../model/tenants/served-kinds.ts';
import { state } from './bind-component.ts';
import type { BindingDeps } from './binding-deps.ts';

/**
 * Waits until the project has no objects of the kinds that only this binding serves: clients could not reach them any
 * more.
 */
export async function awaitUnused(
  binding: ComponentBinding,
  deps: BindingDeps,
  { now }: StepContext,
): Promise<StepResult> {
  const project = deps.findProject(binding.metadata.namespace ?? '');
  if (project === undefined) return 'continue';
  const counts: { kind: ServedKind; count: number }[] = [];
  const namespaces = deps.namespacesOf(project.metadata.name ?? '');
  for (const kind of deps.served(ownKinds(binding, deps))) {
    const found = await Promise.all(namespaces.map(namespace => deps.listIn(namespace, kind)));
    counts.push({ kind, count: found.flat().length });
  }
  const remaining = counts.filter(({ count }) => count > 0).map(({ kind, count }) => `${count} ${kindId(kind)}`);
  if (remaining.length === 0) return 'continue';
  const message = `It goes when these are deleted: ${remaining.sort().join(', ')}.`;
  return state(binding, { phase: 'Unbinding', reason: 'ObjectsRemain', message }, now);
}

/** Stops serving the kinds of the binding. */
export async function unbindComponent(binding: ComponentBinding, deps: BindingDeps): Promise<StepResult> {
  const cluster = deps.findProject(binding.metadata.namespace ?? '')?.status?.cluster?.name;
  if (cluster !== undefined) await deps.serve(binding, cluster, []);
  return 'continue';
}

/** The kinds of a binding that no other binding of the project serves. */
function ownKinds(binding: ComponentBinding, deps: BindingDeps): readonly ServedKind[] {
  const others = deps.othersIn(binding).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const shared = new Set(others.flatMap(({ status }) => status?.resources ?? []).map(kindId));
  return (binding.status?.resources ?? []).filter(kind => !shared.has(kindId(kind)));
}
