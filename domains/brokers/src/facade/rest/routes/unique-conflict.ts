import { isError } from '@chandlery/api';
import { SmError, smError } from '../../../errors.ts';
import { idOfName } from '../../../kinds/index.ts';
import type { Registry } from '../../../model/rows.ts';
import { type AnyRow, type ErasedHandler, tableOf } from './any-handler.ts';

/** Translates a commit that failed because a name or id is taken; other errors are returned unchanged. */
export function explainConflict(thrown: unknown, handler: ErasedHandler, registry: Registry): unknown {
  if (thrown instanceof SmError || !isError(thrown, 'UniqueViolation', 'AlreadyExists')) return thrown;
  const ids = existingIds(handler, thrown.details, registry);
  const facts = ids.length === 0 ? {} : { ids };
  return smError('Conflict', `found conflicting ${handler.noun}`, facts, { cause: thrown });
}

/** The unique key's name is in `kind`, what is taken in `name`, in the form that the kinds give it. */
function existingIds(
  handler: ErasedHandler,
  { kind, name = '' }: { readonly kind?: string; readonly name?: string },
  registry: Registry,
): string[] {
  const table = tableOf(registry, handler);
  const idsOf = (rows: Iterable<AnyRow>) => [...rows].map(({ id }) => id);
  if (kind === 'platform_and_plan') {
    const [platformId = '', planId = ''] = JSON.parse(name) as string[];
    const ofPlan = [...registry.visibilities.by('planId', planId)];
    return idsOf(ofPlan.filter(({ spec }) => (spec.platformId ?? '') === platformId));
  }
  if (kind !== 'name') return table.get(idOfName(name)) === undefined ? [] : [idOfName(name)];
  if (handler.table === 'bindings') {
    const [instanceId = '', bindingName = ''] = JSON.parse(name) as string[];
    return idsOf([...registry.bindings.by('name', bindingName)].filter(({ spec }) => spec.instanceId === instanceId));
  }
  const [tenant, ...rest] = name.split('/');
  return idsOf([...table.by('name', rest.join('/'))].filter(row => row.tenant === tenant));
}
