import type { Logger } from '@chandlery/platform';
import { retryOnConflict } from '@chandlery/runtime';
import { notFound, smError } from '../errors.ts';
import { type AddressSettings } from '../model/catalog/address-policy.ts';
import { secretDataOf } from '../model/catalog/broker-secret.ts';
import {
  type BrokerRow,
  createRow,
  type PutSecret,
  type Registry,
  type RegistryWrite,
  touchRow,
} from '../model/rows.ts';
import type { BrokerConnections, BrokerCredentials } from '../ports.ts';
import type { BrokerSettings } from '../settings.ts';
import { type BrokerAccess, checkAccess, fetchCatalogWith, keptCredentials } from './broker-access.ts';
import type { BrokerActions, BrokerChange, BrokerRegistration } from './broker-action-types.ts';
import { changedSpec, specOfRegistration } from './broker-spec.ts';
import { brokerRemoval, brokerSecretName, brokerSyncWrites } from './broker-writes.ts';
import { explainCommit } from './commit-failures.ts';

/** What {@link createBrokerActions} is built from. */
export interface BrokerActionDeps {
  readonly registry: Registry;
  readonly connections: Pick<BrokerConnections, 'tryOut'>;
  readonly settings: AddressSettings &
    Pick<BrokerSettings, 'allowInsecureBrokers' | 'clientCertificate' | 'ownPlatformTypes'>;
  readonly logger: Logger;
}

/** Registers, changes and ends brokers. */
export function createBrokerActions(deps: BrokerActionDeps): BrokerActions {
  return {
    register: (registration, extra = []) => register(deps, registration, extra),
    begin: (registration, extra = []) => begin(deps, registration, extra),
    update: (broker, change, extra = []) => update(deps, { broker, change, extra }),
    remove: (broker, extra = [], options = {}) => remove(deps, { broker, extra, ...options }),
  };
}

type Extra = readonly RegistryWrite[];
type Named = Pick<BrokerRow, 'id' | 'tenant' | 'spec'>;

async function register(deps: BrokerActionDeps, registration: BrokerRegistration, extra: Extra): Promise<BrokerRow> {
  const { registry, logger } = deps;
  const { access, tenant, secret } = newBroker(deps, registration);
  const { id, spec } = access;
  const { correlationId } = registration;
  const fetched = await fetchCatalogWith(deps, access, { correlationId });
  await commit(deps, { id, tenant, spec }, () =>
    retryOnConflict(() => {
      const writes = brokerSyncWrites(deps, { id, tenant, spec, fetched, correlationId });
      return registry.commit([...secret, ...writes, ...extra]);
    }),
  );
  logger.info('broker registered', { broker: spec.name, tenant, services: fetched.catalog.offerings.length });
  return rowOf(deps, id);
}

async function begin(deps: BrokerActionDeps, registration: BrokerRegistration, extra: Extra): Promise<BrokerRow> {
  const { access, tenant, secret } = newBroker(deps, registration);
  const { id, spec } = access;
  const row = createRow({ table: 'brokers', id, tenant, spec, status: { ready: false } });
  await commit(deps, { id, tenant, spec }, () => deps.registry.commit([...secret, row, ...extra]));
  return rowOf(deps, id);
}

interface Update {
  readonly broker: BrokerRow;
  readonly change: BrokerChange;
  readonly extra: Extra;
}

async function update(deps: BrokerActionDeps, { broker, change, extra }: Update): Promise<BrokerRow> {
  const { id, tenant, spec } = broker;
  const wanted = { id, tenant, spec: changedSpec(spec, change, brokerSecretName(id)) };
  assertIsFree(deps, wanted);
  await commit(deps, wanted, () => retryOnConflict(() => updateOnce(deps, { broker, change, extra })));
  deps.logger.info('broker updated', { broker: wanted.spec.name ?? id, tenant });
  return rowOf(deps, id);
}

/** Fetches the catalog again in each attempt: the conflicting commit may have changed the address of the broker. */
async function updateOnce(deps: BrokerActionDeps, { broker: { id, tenant }, change, extra }: Update): Promise<void> {
  const { correlationId } = change;
  const current = rowOf(deps, id);
  const spec = changedSpec(current.spec, change, brokerSecretName(id));
  const access = { id, spec, credentials: change.credentials ?? (await keptCredentials(deps, current)) };
  checkAccess(deps, access);
  const fetched = await fetchCatalogWith(deps, access, { correlationId });
  const before = change.before ?? current;
  const decide = () => brokerSyncWrites(deps, { id, tenant, current, before, spec, fetched, correlationId });
  await announceRemoval(deps, decide());
  await deps.registry.commit([...secretOf({ id, tenant, credentials: change.credentials }), ...decide(), ...extra]);
}

/**
 * Touches the plans that are about to be removed. A concurrent commit that read such a plan, to create an instance or a
 * visibility, then fails; one that committed earlier is visible when the decision is repeated.
 */
async function announceRemoval({ registry }: BrokerActionDeps, writes: readonly RegistryWrite[]): Promise<void> {
  const touched = writes.flatMap(write =>
    write.type === 'remove' && write.table === 'plans' ? [touchRow('plans', write.row)] : [],
  );
  if (touched.length > 0) await registry.commit(touched);
}

interface Removal {
  readonly broker: BrokerRow;
  readonly extra: Extra;
  readonly correlationId?: string;
}

async function remove(deps: BrokerActionDeps, { broker, extra, ...cause }: Removal): Promise<void> {
  const { id, tenant, spec } = broker;
  const decide = () => brokerRemoval(deps, { broker: rowOf(deps, id), ...cause });
  await retryOnConflict(async () => {
    await announceRemoval(deps, decide());
    await deps.registry.commit([...decide(), ...extra]);
  });
  deps.logger.info('broker removed', { broker: spec.name ?? id, tenant });
}

interface NewBroker {
  readonly access: BrokerAccess;
  readonly tenant: string;
  readonly secret: readonly PutSecret[];
}

function newBroker(deps: BrokerActionDeps, registration: BrokerRegistration): NewBroker {
  const { tenant, id = deps.registry.newId(), credentials } = registration;
  const secret = secretOf({ id, tenant, credentials });
  const spec = specOfRegistration(registration, secret[0]?.name);
  checkAccess(deps, { id, spec, credentials });
  if (deps.registry.brokers.get(id) !== undefined) throw conflict([id]);
  assertIsFree(deps, { id, tenant, spec });
  return { access: { id, spec, credentials }, tenant, secret };
}

function secretOf(kept: Pick<Named, 'id' | 'tenant'> & { credentials: BrokerCredentials | undefined }): PutSecret[] {
  const data = secretDataOf(kept.credentials ?? {});
  if (Object.keys(data).length === 0) return [];
  return [{ type: 'put-secret', tenant: kept.tenant, name: brokerSecretName(kept.id), data }];
}

/** Says so before the broker is asked; the commit is what makes sure. */
function assertIsFree(deps: BrokerActionDeps, wanted: Named): void {
  const holders = namesakes(deps, wanted);
  if (holders.length > 0) throw conflict(holders);
}

const namesakes = ({ registry }: BrokerActionDeps, { id, tenant, spec: { name = id } }: Named): string[] =>
  [...registry.brokers.by('name', name)].filter(row => row.id !== id && row.tenant === tenant).map(row => row.id);

const conflict = (ids: readonly string[]) => smError('Conflict', 'found conflicting service broker', { ids });

async function commit(deps: BrokerActionDeps, wanted: Named, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const holders = { id: () => [wanted.id], name: () => namesakes(deps, wanted) };
    throw explainCommit(error, { noun: 'service broker', holders });
  }
}

function rowOf({ registry }: BrokerActionDeps, id: string): BrokerRow {
  const row = registry.brokers.get(id);
  if (row === undefined) throw notFound('service broker');
  return row;
}
