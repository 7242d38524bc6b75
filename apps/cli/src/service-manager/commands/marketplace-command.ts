import type { Command, CommandContext } from '../../command.ts';
import { isForPeople, resultFormats } from '../../output/print-object.ts';
import { hiddenNote } from '../../rights/explain-forbidden.ts';
import { offeringsNamed } from '../find-plan.ts';
import { commonFlags, printingOf, queriesOf, queryFlags } from '../flags.ts';
import { type MarketOffering, withPlans } from '../market.ts';
import { exampleOf, parametersOfPlan, parameterText } from '../parameter-schema.ts';
import { printTable } from '../print.ts';
import { connectSm, type SmClient } from '../sm-client.ts';
import { smKinds } from '../sm-kinds.ts';
import { instanceRight } from '../sm-rights.ts';
import { environmentFlag, environmentQuery } from './environment-flag.ts';
import { groups } from './groups.ts';

/** Only what the caller may order is shown. */
const orderingRights = [instanceRight('list'), instanceRight('create')];

/** What can be ordered: offerings with their plans. */
export const marketplaceCommand: Command = {
  name: 'marketplace',
  aliases: ['m'],
  group: groups.catalog,
  summary: 'Show what can be ordered: offerings and their plans',
  usage: '[flags]',
  examples: ['chandlery marketplace', 'chandlery marketplace -s database'],
  formats: resultFormats,
  options: {
    service: { type: 'text', short: 's', valueName: 'OFFERING', about: 'Show the plans of this offering.' },
    broker: { type: 'text', short: 'b', valueName: 'BROKER', about: 'With -s: only the offering of this broker.' },
    ...queryFlags,
    ...environmentFlag,
    ...commonFlags,
  },
  rights: orderingRights,
  goal: () => 'show what can be ordered',
  async run(context) {
    await using sm = connectSm(context);
    const service = context.flags.text('service');
    await (service === undefined ? showOfferings(context, sm) : showPlans(context, sm, service));
    return 0;
  },
};

async function showOfferings(context: CommandContext, sm: SmClient): Promise<void> {
  const query = [...queriesOf(context.flags), ...environmentQuery(context.flags)];
  const offerings = (await withPlans(sm, await sm.all(smKinds.offerings.path, { query, isEverywhere: true }))).filter(
    ({ plans }) => plans.length > 0,
  );
  const marketOf = new Map(offerings.map(offering => [offering.id, offering]));
  printTable(context, smKinds.offerings, offerings, [
    ['name', ({ name }) => name],
    ['plans', ({ id }) => planNames(marketOf.get(id))],
    ['description', ({ description }) => description],
    ['broker', ({ id, broker_id }) => marketOf.get(id)?.broker_name ?? broker_id],
  ]);
  const [first] = offerings;
  if (first === undefined) context.stderr.write((await hiddenNote(context, orderingRights)) ?? '');
  if (first !== undefined && isForPeople(printingOf(context.flags)))
    context.stderr.write(`  Next:  npx chandlery marketplace -s ${first.name ?? ''}\n`);
}

const planNames = (offering: MarketOffering | undefined): string =>
  (offering?.plans ?? []).map(({ name = '' }) => name).join(', ');

async function showPlans(context: CommandContext, sm: SmClient, service: string): Promise<void> {
  const offerings = await withPlans(sm, await offeringsNamed(sm, service, context.flags.text('broker')));
  const brokerOf = new Map(offerings.flatMap(({ plans, broker_name }) => plans.map(({ id }) => [id, broker_name])));
  printTable(
    context,
    smKinds.plans,
    offerings.flatMap(({ plans }) => plans),
    [
      ['plan', ({ name }) => name],
      ['description', ({ description }) => description],
      ['id', ({ id }) => id, 'wide'],
      ['broker', ({ id }) => brokerOf.get(id)],
      ['parameters', plan => (parametersOfPlan(plan) ?? []).map(parameterText).join(', ')],
    ],
  );
  const plan = offerings[0]?.plans[0];
  if (plan !== undefined && isForPeople(printingOf(context.flags)))
    context.stderr.write(`  Next:  ${exampleOf(service, plan)}\n`);
}
