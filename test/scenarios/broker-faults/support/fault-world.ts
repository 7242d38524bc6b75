import assert from 'node:assert/strict';
import type { JsonObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import {
  type BrokerCatalog,
  type CatalogPlan,
  defaultCatalog,
} from '../../../../domains/brokers/src/test-broker/default-catalog.ts';
import type { ScriptedBroker } from '../../../../domains/brokers/src/test-broker/scripted-broker.ts';
import { list, type OsbStage, type StageAnswer } from '../../../conformance/osb/support/osb-stage.ts';

/** Within which brokers of these stories must answer. */
export const patienceMs = 700;

/** Limits of a broker that is not waited for long, and called however often it fails. */
export const impatient: JsonObject = { timeout_ms: patienceMs, break_after_failures: 0 };

/** The usual catalog, and the plan `slow-short`, whose instances never come and are waited for for a second. */
export function faultCatalog(): BrokerCatalog {
  const { services } = defaultCatalog();
  const endless: CatalogPlan = {
    id: 'database-slow-short',
    name: 'slow-short',
    description: 'Takes longer than it has.',
    maximum_polling_duration: 1,
  };
  return {
    services: services.map(offering =>
      offering.name === 'database' ? { ...offering, plans: [...offering.plans, endless] } : offering,
    ),
  };
}

/** The resource of a 202. */
export function resourceOf({ status, location, body }: StageAnswer): string {
  assert.equal(status, 202, JSON.stringify(body));
  return location.split('/')[3] ?? '';
}

/** Makes an instance over the Service Manager API and waits for it. */
export async function makeInstance(
  stage: OsbStage,
  { name, planId, broker }: { readonly name: string; readonly planId: string; readonly broker?: ScriptedBroker },
): Promise<string> {
  const asked = await stage.ask('POST', '/v1/service_instances?async=true', { name, service_plan_id: planId });
  const id = resourceOf(asked);
  if (broker !== undefined) await finishWhenBegun(broker, id);
  await untilState(stage, id, { type: 'create', state: 'succeeded' });
  return id;
}

/** Makes a binding over the Service Manager API and waits for it. */
export async function makeBinding(stage: OsbStage, name: string, instanceId: string): Promise<string> {
  const body = { name, service_instance_id: instanceId };
  const made = await stage.ask('POST', '/v1/service_bindings?async=false', body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body['id'] as string;
}

/** Ends what the broker has begun with a resource, as soon as it has. */
export async function finishWhenBegun(broker: ScriptedBroker, id: string, type = ''): Promise<void> {
  await eventually(
    () => {
      const operation = (broker.instances.get(id) ?? broker.bindings.get(id))?.operation;
      return operation?.state === 'in progress' && operation.type.startsWith(type);
    },
    { what: `the broker to begin with ${id}` },
  );
  broker.finish(id);
}

const noTime = '0001-01-01T00:00:00Z';

interface OperationEnd {
  readonly type: 'create' | 'update' | 'delete';
  readonly state: 'succeeded' | 'failed';
}

/** Waits until the last operation of a type has ended so, and nothing is cleaned up any more. */
export async function untilState(stage: OsbStage, id: string, { type, state }: OperationEnd): Promise<JsonObject> {
  let seen: readonly JsonObject[] = [];
  try {
    return await eventually(
      async () => {
        seen = await list(stage.ask, 'operations', `resource_id eq '${id}' and type eq '${type}'`);
        const last = seen.at(-1);
        return last?.['state'] === state && last['deletion_scheduled'] === noTime ? last : undefined;
      },
      { what: `the ${type} of ${id} to be ${state}`, timeoutMs: 15_000 },
    );
  } catch (error) {
    throw new Error(`${String(error)}; it is ${JSON.stringify(seen)}`, { cause: error });
  }
}

/** Asserts that no operation of a resource is in progress or under mitigation. */
export async function assertAtRest(stage: OsbStage, id: string): Promise<void> {
  for (const operation of await list(stage.ask, 'operations', `resource_id eq '${id}'`)) {
    assert.ok(operation['state'] === 'succeeded' || operation['state'] === 'failed', JSON.stringify(operation));
    assert.equal(operation['deletion_scheduled'], noTime, JSON.stringify(operation));
  }
}

/** How often a broker was asked to delete something. */
export const deletionsOf = (broker: ScriptedBroker, id: string): number =>
  broker.requests.filter(({ method, url }) => method === 'DELETE' && url.split('?')[0]?.endsWith(`/${id}`)).length;
