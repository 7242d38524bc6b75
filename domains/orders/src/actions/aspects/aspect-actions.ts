import { commitAnew } from '@chandlery/registry';
import { OrdersError, recordNotFound } from '../../errors.ts';
import type { Json } from '../../model/bodies/body-fields.ts';
import { openPolicy, urnOf } from '../../model/urns.ts';
import {
  type AspectRow,
  createRow,
  indexTerm,
  type OrdersRegistry,
  type OrdersWrite,
  updateRow,
} from '../../registry/orders-registry.ts';
import type { ActionDeps, Actor } from '../action-deps.ts';

/** A statement about an entity. */
export interface NewAspect {
  readonly entity: string;
  readonly schema: string;
  readonly content: Json;
  readonly policy?: string | undefined;
  readonly contentType?: string | undefined;
}

type Deps = Pick<ActionDeps, 'registry' | 'budget' | 'recordLocks'>;

/** Use cases of aspects. */
export const aspectActions = (deps: Deps) => ({
  /** Adds an aspect. */
  add: async (actor: Actor, aspect: NewAspect): Promise<AspectRow> => {
    const { registry, budget } = deps;
    budget.checkRecords(actor.tenant);
    const id = registry.newId();
    await registry.commit([creation(id, actor, aspect)]);
    return aspectRow(registry, id);
  },

  /** Adds an aspect in place of the one that holds; throws `ambiguous` when several do. */
  replace: async (actor: Actor, aspect: NewAspect): Promise<AspectRow> => {
    deps.budget.checkRecords(actor.tenant);
    const term = indexTerm(actor.tenant, aspect.entity, aspect.schema);
    return deps.recordLocks.run(`aspect ${term}`, () => replace(deps, actor, aspect));
  },

  /** Retracts an aspect; what it said can still be read as of before. One that was retracted stays as it is. */
  retract: async ({ id }: AspectRow, { username }: Pick<Actor, 'username'>): Promise<void> => {
    await commitAnew(deps.registry, () => {
      const row = aspectRow(deps.registry, id);
      return row.status.validTo === undefined ? [retraction(deps.registry, row, username)] : [];
    });
  },
});

async function replace({ registry }: Deps, actor: Actor, aspect: NewAspect): Promise<AspectRow> {
  const id = registry.newId();
  await commitAnew(registry, () => {
    const current = [...registry.aspects.by('current', indexTerm(actor.tenant, aspect.entity, aspect.schema))];
    if (current.length > 1) throw several(aspect, current.length);
    const [old] = current;
    if (old === undefined) return [creation(id, actor, aspect)];
    const replaces = urnOf('aspect', old.id);
    return [retraction(registry, old, actor.username), creation(id, actor, { ...aspect, replaces })];
  });
  return aspectRow(registry, id);
}

function creation(
  id: string,
  { tenant, username }: Actor,
  { entity, schema, content, policy, contentType, replaces }: NewAspect & { readonly replaces?: string },
): OrdersWrite {
  return createRow({
    table: 'aspects',
    id,
    tenant,
    spec: {
      entity,
      schema,
      content: { ...content },
      asserter: username,
      policy: policy ?? openPolicy.metadata,
      contentType: contentType ?? 'application/json',
      ...(replaces === undefined ? {} : { replaces }),
    },
  });
}

const retraction = (registry: Pick<OrdersRegistry, 'now'>, row: AspectRow, username: string): OrdersWrite =>
  updateRow({ table: 'aspects', row, status: { ...row.status, validTo: registry.now(), retracter: username } });

function aspectRow({ aspects }: Pick<OrdersRegistry, 'aspects'>, id: string): AspectRow {
  const row = aspects.get(id);
  if (row === undefined) throw recordNotFound(urnOf('aspect', id));
  return row;
}

const several = ({ entity, schema }: NewAspect, count: number): OrdersError =>
  new OrdersError('ambiguous', `${count} aspects of ${entity} with schema ${schema} hold; retract all but one`, {
    id: entity,
    name: 'schema',
    value: schema,
  });
