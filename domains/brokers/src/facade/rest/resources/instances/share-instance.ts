import { smError } from '../../../../errors.ts';
import { supportsSharing } from '../../../../model/catalog/catalog.ts';
import type { InstanceRow, Registry, RegistryWrite } from '../../../../model/rows.ts';
import { referencesOf } from '../../../../model/sharing/rows-of-instance.ts';
import type { SmRequest } from '../../resource-handler.ts';
import { updateInstanceHere } from '../../shared/update-here.ts';
import { meaningfulFields } from './read-instance-change.ts';

/** Starts or stops sharing an instance of any platform, without calling the broker. Undefined when nothing changes. */
export function planSharing(registry: Registry, row: InstanceRow, request: SmRequest): RegistryWrite | undefined {
  const shared = readShared(request);
  const plan = registry.plans.get(row.spec.planId ?? '');
  if (plan === undefined || !supportsSharing(plan.spec)) {
    const why = "its broker's catalog lacks metadata.supportsInstanceSharing for it";
    throw smError('BadRequest', `the plan of this service instance does not support sharing: ${why}`, {
      field: 'shared',
    });
  }
  if ((row.spec.shared ?? false) === shared) return undefined;
  if (!shared) checkUnreferenced(registry, row, 'it cannot be unshared');
  return updateInstanceHere(row, { ...row.spec, shared });
}

/** Throws `BadRequest` with the references to the instance, if there are any. */
export function checkUnreferenced(registry: Registry, row: InstanceRow, consequence: string): void {
  const ids = referencesOf(registry, row)
    .map(reference => reference.id)
    .sort();
  if (ids.length === 0) return;
  throw smError('BadRequest', `service instance ${row.id} is referred to by ${ids.join(', ')}: ${consequence}`, {
    ids,
  });
}

function readShared({ body, mode }: SmRequest): boolean {
  if (mode === 'async') throw smError('InvalidRequest', "requested api doesn't support asynchronous operations");
  const { shared, ...others } = meaningfulFields(body);
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw smError('BadRequest', `shared must be the only field, without ${other}`, { field: other });
  if (typeof shared === 'boolean') return shared;
  throw smError('BadRequest', 'shared must be true or false', { field: 'shared' });
}
