import { apiError, badRequest, ChandleryError, type JsonObject, type JsonValue } from '@chandlery/api';
import {
  type InternalBroker,
  type InternalInstance,
  type InternalObjects,
  type InternalOutcome,
  tenantNamespaceOf,
} from '@chandlery/brokers/kinds';
import type { ActionDeps } from '../../actions/action-deps.ts';
import { changeInstance } from '../../actions/change-instance.ts';
import { checkLists } from '../../actions/check-lists.ts';
import { createInstance } from '../../actions/create-instance.ts';
import { FleetError } from '../../errors.ts';
import { fleetNamespace } from '../../kinds/index.ts';
import { instanceSecretKeys } from '../../model/instance-secret.ts';
import {
  checkParameters,
  credentialsOf,
  distinctName,
  fleetIdOf,
  fleetNameOf,
  instanceIdOf,
  instanceObjectOf,
  isLeaving,
  planOfId,
  progressOf,
  serviceIdOf,
  serviceOf,
} from '../../model/offerings/fleet-offering.ts';
import type { TenantOrganisations } from '../../ports.ts';
import { type ConfiguredProduct, type InstanceRow, indexTerm } from '../../registry/fleet-registry.ts';

/** What the offerings of the fleet are made from. */
export interface FleetOfferingDeps extends ActionDeps {
  readonly tenants: TenantOrganisations;
}

/**
 * The products of the fleet as an internal broker of the service manager: an instance is a FleetInstance of the tenant's
 * organisation, within the same quota as one that is ordered over REST.
 */
export function createFleetOfferings(deps: FleetOfferingDeps): InternalBroker {
  const { registry } = deps;
  const find = (id: string): InstanceRow | undefined => registry.instances.get(fleetIdOf(id));
  return {
    catalog: async () => [...products(deps)].map(({ configuration }) => serviceOf(configuration)),
    onCatalogChange: changed =>
      registry.products.listen(({ type, row, previous }) => {
        if (type === 'removed' || previous?.generation !== row.generation) changed();
      }),
    provision: instance => provision(deps, instance),
    update: async ({ id, planId }, change) => update(found(find(id)), { planId, ...change }),
    deprovision: (id, { isDryRun = false } = {}) => deprovision(deps, id, isDryRun),
    progress: async id => {
      const row = find(id);
      return row === undefined ? { state: 'gone' } : progressOf(row);
    },
    bind: async id => connectionOf(deps, found(find(id))),
    credentials: async id => {
      const row = find(id);
      return row && connectionOf(deps, row);
    },
    unbind: async () => undefined,
    parameters: async id => {
      const row = find(id);
      return row && parametersOf(row);
    },
    objects: fleetObjects(deps),
  };
}

function* products({ registry }: ActionDeps): Iterable<ConfiguredProduct> {
  for (const { id } of registry.products.all()) {
    const product = registry.configurations.get(id);
    if (product !== undefined) yield product;
  }
}

/** Instances of the REST API are in one namespace; those of kubectl belong to the tenant of theirs. */
const fleetObjects = ({ registry, tenants }: FleetOfferingDeps): InternalObjects => {
  const tenantOf = ({ tenant, spec }: InstanceRow): Promise<string> | string =>
    tenant === fleetNamespace ? tenants.tenantOf(spec.organisation) : tenant;
  return {
    listen: listener => {
      const stop = registry.instances.listen(({ row }) => listener.changed(instanceIdOf(row)));
      for (const row of registry.instances.all()) listener.changed(instanceIdOf(row));
      return stop;
    },
    isComplete: () => true,
    get: async id => {
      const row = registry.instances.get(fleetIdOf(id));
      return row && instanceObjectOf(row, await tenantOf(row));
    },
  };
};

/** Orders an instance for the organisation of the tenant. Idempotent. */
async function provision(deps: FleetOfferingDeps, instance: InternalInstance): Promise<InternalOutcome> {
  const { registry } = deps;
  const { caller, serviceId, planId } = instance;
  const id = fleetIdOf(instance.id);
  const existing = registry.instances.get(id);
  if (existing !== undefined) return outcomeOfExisting(existing, instance);
  const product = [...products(deps)].find(({ row }) => serviceIdOf(row.id) === serviceId);
  const plan = product && planOfId(product.row.id, planId);
  if (product === undefined || plan === undefined) throw badRequest('the service or its plan is not offered');
  checkParameters(instance.parameters);
  const organisation = await deps.tenants.organisationOf(tenantNamespaceOf(caller));
  const { username = `platform:${caller.platformId}` } = caller;
  const orderer = { username, organisation, accountId: undefined, isOrganisationAdmin: false };
  const request = { ...requestOf(instance), plan, id, instance: instance.id };
  const name = freeName(deps, request, { product: product.row.id, organisation });
  try {
    checkLists(product.configuration, orderer);
    await createInstance(deps, product, { caller: orderer, request: { ...request, name } });
    return { state: 'in progress' };
  } catch (error) {
    // The same order may have come through another replica.
    const raced = registry.instances.get(id);
    if (raced !== undefined) return outcomeOfExisting(raced, instance);
    throw rejectionOf(error);
  }
}

function requestOf({ id, parameters, caller }: InternalInstance) {
  const { cloud_provider: cloudProvider, region, multi_az: multiAz } = parameters;
  const name = parameters['name'] ?? caller.context['instance_name'] ?? '';
  return {
    name: fleetNameOf(textOf(name) ?? '', id),
    isNameGiven: parameters['name'] !== undefined,
    cloudProvider: textOf(cloudProvider),
    region: textOf(region),
    multiAz: typeof multiAz === 'boolean' ? multiAz : undefined,
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

interface NamedRequest {
  readonly id: string;
  readonly name: string;
  readonly isNameGiven: boolean;
}

/** Names of platforms are not unique. One that is taken gets a part of the id; one that was asked for is rejected. */
function freeName(
  { registry }: ActionDeps,
  { id, name, isNameGiven }: NamedRequest,
  { product, organisation }: { readonly product: string; readonly organisation: string },
): string {
  const isTaken = registry.instances.count('name', indexTerm(product, organisation, name)) > 0;
  return isTaken && !isNameGiven ? distinctName(name, id) : name;
}

const outcomeOf = (row: InstanceRow): InternalOutcome => ({
  state: progressOf(row).state === 'in progress' ? 'in progress' : 'done',
});

function outcomeOfExisting(row: InstanceRow, { id, serviceId, planId }: InternalInstance): InternalOutcome {
  const { product, plan = '', instance } = row.spec;
  if (instance !== id || serviceIdOf(product) !== serviceId || planOfId(product, planId) !== plan)
    throw apiError('Conflict', 'the instance exists with other attributes');
  if (isLeaving(row)) throw apiError('Conflict', 'the instance is being deleted');
  return outcomeOf(row);
}

/** Plans and places of the fleet are fixed by the order. */
function update(
  row: InstanceRow,
  wanted: { readonly planId: string; readonly parameters?: JsonObject },
): InternalOutcome {
  const { planId, parameters = {} } = wanted;
  checkParameters(parameters);
  const current = parametersOf(row);
  const plan = planOfId(row.spec.product, planId);
  if (plan !== row.spec.plan) throw unchangeable('the plan', row.spec.plan, plan);
  for (const [name, value] of Object.entries(parameters))
    if (current[name] !== value) throw unchangeable(`the parameter "${name}"`, current[name], value);
  return outcomeOf(row);
}

async function deprovision(deps: FleetOfferingDeps, id: string, isDryRun: boolean): Promise<InternalOutcome> {
  const fleetId = fleetIdOf(id);
  if (!isDryRun) await changeInstance(deps, fleetId, () => [{ type: 'delete', by: 'user' }]);
  return { state: deps.registry.instances.get(fleetId) === undefined ? 'done' : 'in progress' };
}

/** Says what cannot be changed, why, and what to do instead. */
const unchangeable = (what: string, from: JsonValue | undefined, to: JsonValue | undefined): ChandleryError =>
  badRequest(
    `${what} cannot be changed from ${shown(from)} to ${shown(to)}: an instance of the fleet keeps its size and its place, for which its quota and capacity were reserved; order another instance, move the data, and delete this one`,
  );

const shown = (value: JsonValue | undefined): string => (value === undefined ? 'the default' : JSON.stringify(value));

function parametersOf({ spec }: InstanceRow): JsonObject {
  const { name, cloudProvider, region, multiAz } = spec;
  return {
    ...(name === undefined ? {} : { name }),
    ...(cloudProvider === undefined ? {} : { cloud_provider: cloudProvider }),
    ...(region === undefined ? {} : { region }),
    ...(multiAz === undefined ? {} : { multi_az: multiAz }),
  };
}

async function connectionOf({ registry }: ActionDeps, row: InstanceRow): Promise<JsonObject | 'in progress'> {
  const { state, description = '' } = progressOf(row);
  if (state === 'in progress') return 'in progress';
  if (state === 'failed') throw badRequest(`the instance has no connection: ${description}`);
  const { secretName } = row.status;
  const secret = secretName === undefined ? undefined : await registry.readSecret(fleetNamespace, secretName);
  return credentialsOf(row, secret?.[instanceSecretKeys.authority]);
}

function found(row: InstanceRow | undefined): InstanceRow {
  if (row === undefined) throw apiError('NotFound', 'there is no such instance');
  return row;
}

/** The rejections of the REST API, with the same message. */
const rejectionOf = (error: unknown): unknown =>
  error instanceof FleetError && error.status < 500
    ? new ChandleryError('BadRequest', error.message, { cause: error })
    : error;
