import { KeyedMutex } from '@chandlery/platform';
import { retryOnConflict } from '@chandlery/runtime';
import { notFound } from '../errors.ts';
import { assertNoClash } from '../model/catalog/visibility-clash.ts';
import {
  checkRow,
  createRow,
  type Registry,
  type RegistryWrite,
  removeRow,
  updateRow,
  type VisibilityRow,
} from '../model/rows.ts';
import { explainCommit } from './commit-failures.ts';
import { changedSpec, type NewVisibility, specOf, type VisibilityChange } from './visibility-spec.ts';
import { notifyVisibility, referencesOf, settledStatus } from './visibility-writes.ts';

type Extra = readonly RegistryWrite[];

/** What can be done with visibilities: one commit each, together with notifications and the `extra` writes of the caller. All throw `SmError`s. */
export interface VisibilityActions {
  create(wanted: NewVisibility, extra?: Extra): Promise<VisibilityRow>;
  /** Also notifies platforms of a visibility that they do not know yet. */
  update(visibility: VisibilityRow, change: VisibilityChange, extra?: Extra): Promise<VisibilityRow>;
  remove(visibility: VisibilityRow, extra?: Extra, options?: { readonly correlationId?: string }): Promise<void>;
}

interface Deps {
  readonly registry: Registry;
  /** The store cannot see that a visibility for every platform and one for some exclude each other. */
  readonly planLocks: KeyedMutex<string>;
}

/** Makes, changes and ends visibilities. */
export function createVisibilityActions({ registry }: { readonly registry: Registry }): VisibilityActions {
  const deps = { registry, planLocks: new KeyedMutex<string>() };
  return {
    create: (wanted, extra = []) => create(deps, wanted, extra),
    update: (visibility, change, extra = []) => update(deps, { id: visibility.id, change, extra }),
    remove: (visibility, extra = [], options = {}) => remove(registry, { id: visibility.id, extra, ...options }),
  };
}

async function create(deps: Deps, wanted: NewVisibility, extra: Extra): Promise<VisibilityRow> {
  const { registry } = deps;
  const { tenant, id = registry.newId(), correlationId } = wanted;
  const spec = specOf(wanted);
  const attempt = () => {
    const { plan, platform } = referencesOf(registry, { tenant, spec });
    assertNoClash(registry, { id, spec });
    const status = settledStatus({ status: {}, generation: 1, now: registry.now() });
    const now = registry.now();
    const after = { id, tenant, spec, status, createdAt: now, updatedAt: now };
    return registry.commit([
      createRow({ table: 'visibilities', id, tenant, spec, status }),
      checkRow('plans', plan),
      ...(platform === undefined ? [] : [checkRow('platforms', platform)]),
      ...notifyVisibility(registry, { after, ...cause(correlationId) }),
      ...extra,
    ]);
  };
  await commit(deps, { id, spec }, attempt);
  return rowOf(registry, id);
}

interface Update {
  readonly id: string;
  readonly change: VisibilityChange;
  readonly extra: Extra;
}

async function update(deps: Deps, { id, change, extra }: Update): Promise<VisibilityRow> {
  const { registry } = deps;
  const attempt = () => {
    const current = rowOf(registry, id);
    const spec = changedSpec(current, change);
    const { tenant } = current;
    referencesOf(registry, { tenant, spec });
    assertNoClash(registry, { id, spec });
    const status = settledStatus({ ...current, spec, before: current.spec, now: registry.now() });
    const known = change.before ?? current;
    const before = known.status.ready === true ? known : undefined;
    const after = { ...current, spec, status };
    return registry.commit([
      updateRow({ table: 'visibilities', row: current, spec, status }),
      ...notifyVisibility(registry, { after, ...(before && { before }), ...cause(change.correlationId) }),
      ...extra,
    ]);
  };
  await commit(deps, { id, spec: changedSpec(rowOf(registry, id), change) }, attempt);
  return rowOf(registry, id);
}

interface Removal {
  readonly id: string;
  readonly extra: Extra;
  readonly correlationId?: string;
}

const remove = (registry: Registry, { id, extra, ...cause }: Removal): Promise<void> =>
  retryOnConflict(() => {
    const row = rowOf(registry, id);
    const before = row.status.ready === true ? { before: row } : {};
    return registry.commit([
      removeRow('visibilities', row),
      ...notifyVisibility(registry, { ...before, ...cause }),
      ...extra,
    ]);
  });

type Spec = VisibilityRow['spec'];

async function commit({ registry, planLocks }: Deps, wanted: Wanted, attempt: () => Promise<void>): Promise<void> {
  try {
    await planLocks.run(wanted.spec.planId, () => retryOnConflict(attempt));
  } catch (error) {
    const twins = () => twinsOf(registry, wanted);
    throw explainCommit(error, { noun: 'visibility', holders: { id: () => [wanted.id], platform_and_plan: twins } });
  }
}

interface Wanted {
  readonly id: string;
  readonly spec: Spec;
}

const twinsOf = ({ visibilities }: Registry, { id, spec: { planId, platformId = '' } }: Wanted): string[] =>
  [...visibilities.by('planId', planId)]
    .filter(row => row.id !== id && (row.spec.platformId ?? '') === platformId)
    .map(row => row.id);

const cause = (correlationId: string | undefined) => (correlationId === undefined ? {} : { correlationId });

function rowOf({ visibilities }: Registry, id: string): VisibilityRow {
  const row = visibilities.get(id);
  if (row === undefined) throw notFound('visibility');
  return row;
}
