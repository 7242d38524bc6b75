import { randomBytes } from 'node:crypto';
import { ChandleryError } from '@chandlery/api';
import { didYouMean } from '@chandlery/platform';
import type { CommandContext } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { followOperation } from '../service-manager/follow-operation.ts';
import { type MarketOffering, orderableOfferings } from '../service-manager/market.ts';
import { readParameters } from '../service-manager/parameter-schema.ts';
import { SmClient } from '../service-manager/sm-client.ts';
import { smKinds } from '../service-manager/sm-kinds.ts';
import type { SmObject } from '../service-manager/sm-types.ts';

/** What is ordered of an offering. */
export interface OfferingOrder {
  readonly offering: string;
  /** Default: the only plan, or `default`. */
  readonly plan: string | undefined;
  /** Default: the name of the offering and some letters. */
  readonly name: string | undefined;
  readonly values: Readonly<Record<string, string>>;
  /** Default: it is not waited for. */
  readonly waitMs: number | undefined;
}

/** Orders an offering of the catalogue, whichever domain or broker it is from. */
export async function orderOffering(context: CommandContext, order: OfferingOrder): Promise<SmObject> {
  await using sm = new SmClient(connect(context), { params: [], tenant: context.flags.text('namespace') });
  const offering = findOffering(await orderableOfferings(sm), order.offering);
  const plan = findPlan(offering, order.plan);
  const parameters = readParameters(plan, order.values);
  const body = {
    name: order.name ?? `${offering.name}-${randomBytes(3).toString('hex')}`,
    service_plan_id: plan.id,
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
  };
  const path = smKinds.instances.path;
  const { location = '' } = await sm.send(path, { method: 'POST', query: [['async', 'true']], body });
  const instancePath = location.replace(/\/operations\/[^/]*$/, '');
  if (order.waitMs !== undefined)
    await followOperation(sm, location, {
      timeoutMs: order.waitMs,
      progress: context.stderr,
      next: `"npx chandlery instance get ${body.name}${inTenant(context)}" says how far it is`,
    });
  return await sm.get(instancePath);
}

/** The flag with which commands that follow find the same tenant. */
export function inTenant({ flags }: CommandContext): string {
  const tenant = flags.text('namespace');
  return tenant === undefined ? '' : ` -n ${tenant}`;
}

function findOffering(offerings: readonly MarketOffering[], wanted: string): MarketOffering {
  const [found, ...others] = offerings.filter(({ id, name }) => name === wanted || id === wanted);
  if (found === undefined) throw unknownOffering(offerings, wanted);
  if (others.length === 0) return found;
  const brokers = [found, ...others].map(({ id, broker_name = '' }) => `${id} (broker ${broker_name})`);
  throw new ChandleryError('Ambiguous', `there are ${brokers.length} offerings with the name "${wanted}"`, {
    hint: `Say which one by its id: ${brokers.join(', ')}`,
  });
}

function unknownOffering(offerings: readonly MarketOffering[], wanted: string): ChandleryError {
  const names = offerings.flatMap(({ name = [] }) => name);
  return new ChandleryError('NotFound', `there is no service or offering "${wanted}"${didYouMean(wanted, names)}`, {
    hint: 'See what can be ordered with "npx chandlery marketplace".',
  });
}

function findPlan({ name = '', plans }: MarketOffering, wanted: string | undefined): SmObject {
  const names = plans.flatMap(plan => plan.name ?? []);
  const found =
    plans.find(plan => plan.name === (wanted ?? 'default')) ??
    (wanted === undefined && plans.length === 1 ? plans[0] : undefined);
  if (found !== undefined) return found;
  if (wanted === undefined)
    throw new ChandleryError('MissingArgument', `the offering "${name}" has several plans`, {
      hint: `Say which one with --plan: ${names.join(', ')}.`,
    });
  throw new ChandleryError('NotFound', `the offering "${name}" has no plan "${wanted}"${didYouMean(wanted, names)}`, {
    hint: `It has ${names.join(', ')}.`,
  });
}
