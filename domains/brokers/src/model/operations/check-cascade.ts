import { smError } from '../../errors.ts';
import type { InstanceRow, Registry } from '../rows.ts';
import { platformOf } from '../sharing/owner.ts';
import { referencesOf } from '../sharing/rows-of-instance.ts';
import type { CascadeNode } from './plan-cascade.ts';

/**
 * Throws `UnprocessableEntity` when a cascade may not begin: the platform is connected (`isActive`), or others would lose
 * the shared instance that they refer to.
 */
export function checkCascade(registry: Registry, { table, row }: CascadeNode, isActive: boolean): void {
  if (table !== 'platforms') return;
  if (isActive) {
    throw smError('UnprocessableEntity', `platform ${row.spec.name ?? row.id} is active: stop its proxy first`);
  }
  const ids = foreignReferences(registry, row.id).map(reference => reference.id);
  if (ids.length === 0) return;
  const named = ids.slice(0, 20).join(', ');
  throw smError('UnprocessableEntity', `instances of other platforms refer to shared instances of it: ${named}`, {
    ids,
  });
}

function foreignReferences(registry: Registry, platformId: string): InstanceRow[] {
  const found: InstanceRow[] = [];
  for (const instance of registry.instances.by('platformId', platformId)) {
    if (instance.spec.shared !== true) continue;
    found.push(...referencesOf(registry, instance).filter(reference => platformOf(reference) !== platformId));
  }
  return found;
}
