import { ChandleryError } from '@chandlery/api';
import { didYouMean, nearest } from '@chandlery/platform';
import { usageError } from '../args/usage-error.ts';
import { ambiguous, missing } from './lookup-errors.ts';
import { fieldQuery, having, namesOf, quoted, quotedList } from './queries.ts';
import type { SmClient } from './sm-client.ts';
import { pathOf, smKinds } from './sm-kinds.ts';
import type { SmObject } from './sm-types.ts';

/** The offerings with a name, of one broker when it is named. Rejects with `NotFound` when there is none. */
export async function offeringsNamed(sm: SmClient, name: string, broker?: string): Promise<readonly SmObject[]> {
  const ofBroker = broker === undefined ? [] : [`broker_id in ${quotedList(await brokerIds(sm, broker))}`];
  const query = fieldQuery([`name eq ${quoted(name)}`, ...ofBroker]);
  const offerings = await sm.all(smKinds.offerings.path, { query, isEverywhere: true });
  if (offerings.length === 0) throw await missingOffering(sm, name);
  return offerings;
}

async function missingOffering(sm: SmClient, name: string): Promise<ChandleryError> {
  const offerings = await sm.all(smKinds.offerings.path, { isEverywhere: true });
  const meant = nearest(
    name,
    offerings.flatMap(offering => offering.name ?? []),
  );
  return missing(smKinds.offerings, name, meant);
}

/** Several tenants may have a broker of the same name. */
async function brokerIds(sm: SmClient, name: string): Promise<string[]> {
  const brokers = await having(sm, smKinds.brokers, { field: 'name', value: name });
  if (brokers.length === 0) throw missing(smKinds.brokers, name);
  return brokers.map(({ id }) => id);
}

/** The id of a plan, which is given as it is or as `OFFERING/PLAN`. */
export async function planIdOf(sm: SmClient, plan: string, broker?: string): Promise<string> {
  const at = plan.indexOf('/');
  if (at < 0) return assertNoOffering(sm, plan);
  const offering = await onlyOffering(sm, plan.slice(0, at), broker);
  return (await planOfOffering(sm, offering, plan.slice(at + 1))).id;
}

/** The id of a plan; the name of an offering is a mistake. */
async function assertNoOffering(sm: SmClient, id: string): Promise<string> {
  const [offering] = await having(sm, smKinds.offerings, { field: 'name', value: id });
  if (offering === undefined) return id;
  const plans = await having(sm, smKinds.plans, { field: 'service_offering_id', value: offering.id });
  const names = plans.map(({ name = '' }) => `${id}/${name}`).sort();
  throw usageError('UnexpectedArgument', `"${id}" is an offering, not a plan`, `Say which plan: ${names.join(', ')}.`);
}

/** The plan with a name beside another one, in the same offering. */
export async function siblingPlan(sm: SmClient, planId: string | undefined, name: string): Promise<SmObject> {
  const current = await sm.get(pathOf(smKinds.plans, planId ?? ''));
  const offering = await sm.get(pathOf(smKinds.offerings, current.service_offering_id ?? ''));
  return planOfOffering(sm, offering, name);
}

async function onlyOffering(sm: SmClient, name: string, broker: string | undefined): Promise<SmObject> {
  const [first, ...others] = await offeringsNamed(sm, name, broker);
  if (first === undefined) throw missing(smKinds.offerings, name);
  if (others.length === 0) return first;
  const found = [first, ...others];
  const names = await namesOf(
    sm,
    smKinds.brokers,
    found.map(({ broker_id = '' }) => broker_id),
  );
  const printed = found.map(({ id, broker_id = '' }) => `${id} (broker ${names.get(broker_id) ?? broker_id})`);
  throw ambiguous(`there are ${found.length} offerings with the name "${name}": ${printed.join(', ')}`, '-b BROKER');
}

async function planOfOffering(sm: SmClient, offering: SmObject, name: string): Promise<SmObject> {
  const plans = await having(sm, smKinds.plans, { field: 'service_offering_id', value: offering.id });
  const plan = plans.find(candidate => candidate.name === name);
  if (plan !== undefined) return plan;
  const known = plans.map(candidate => candidate.name ?? '').sort();
  throw new ChandleryError(
    'NotFound',
    `the offering "${offering.name}" has no plan "${name}"${didYouMean(name, known)}`,
    {
      hint: known.length === 0 ? 'It has no plans that you may use.' : `It has ${known.join(', ')}.`,
    },
  );
}
