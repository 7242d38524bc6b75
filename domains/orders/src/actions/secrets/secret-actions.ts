import { commitAnew } from '@chandlery/registry';
import {
  createRow,
  indexTerm,
  type OrdersRegistry,
  type OrdersWrite,
  removeRow,
  type SecretRow,
  updateRow,
} from '../../registry/orders-registry.ts';
import type { ActionDeps, Actor } from '../action-deps.ts';

/** A secret of a tenant. */
export interface NewSecret {
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly expiresAt: string | undefined;
}

type Deps = Pick<ActionDeps, 'registry' | 'budget' | 'clock'>;

/** Use cases of secrets. Values are in Secrets, which are encrypted at rest and not readable for the role of consumers. */
export const secretActions = (deps: Deps) => ({
  /** Creates a secret, or gives it another value. */
  set: async (actor: Actor, secret: NewSecret): Promise<void> => {
    const { registry, budget } = deps;
    if (findSecret(registry, actor.tenant, secret) === undefined) budget.checkRecords(actor.tenant);
    await commitAnew(registry, () => settingOf(registry, actor, secret));
  },

  /** Returns a secret without its value; undefined when there is none, or it has expired. */
  find: (tenant: string, key: Pick<NewSecret, 'name' | 'type'>): SecretRow | undefined => {
    const row = findSecret(deps.registry, tenant, key);
    return row === undefined || isExpired(row, deps.clock.now()) ? undefined : row;
  },

  /** Returns the value of a secret. For the data proxy alone: the REST API gives out no values. */
  readValue: async ({ id, tenant }: SecretRow): Promise<string | undefined> =>
    (await deps.registry.readSecret(tenant, secretName(id)))?.['value'],

  /** Removes a secret and its value. */
  remove: async ({ id }: Pick<SecretRow, 'id'>): Promise<void> => removeSecret(deps.registry, id),
});

/** Removes a secret and its value. */
export function removeSecret(registry: OrdersRegistry, id: string): Promise<void> {
  return commitAnew(registry, () => {
    const row = registry.secrets.get(id);
    if (row === undefined) return [];
    return [removeRow('secrets', row), { type: 'remove-secret', tenant: row.tenant, name: secretName(id) }];
  });
}

/** Whether a secret may not be used any more. */
export const isExpired = ({ spec }: SecretRow, now: Date): boolean =>
  spec.expiresAt !== undefined && Date.parse(spec.expiresAt) <= now.getTime();

/** The Secret that has the value. */
const secretName = (id: string): string => `service-secret-${id}`;

function findSecret(
  { secrets }: Pick<OrdersRegistry, 'secrets'>,
  tenant: string,
  { name, type }: Pick<NewSecret, 'name' | 'type'>,
): SecretRow | undefined {
  return [...secrets.by('name', indexTerm(tenant, type, name))][0];
}

function settingOf(
  registry: OrdersRegistry,
  { tenant, username }: Actor,
  { name, type, value, expiresAt }: NewSecret,
): readonly OrdersWrite[] {
  const present = findSecret(registry, tenant, { name, type });
  const id = present?.id ?? registry.newId();
  const spec = { name, type, owner: username, ...(expiresAt === undefined ? {} : { expiresAt }) };
  return [
    present === undefined
      ? createRow({ table: 'secrets', id, tenant, spec })
      : updateRow({ table: 'secrets', row: present, spec }),
    { type: 'put-secret', tenant, name: secretName(id), data: { value } },
  ];
}
