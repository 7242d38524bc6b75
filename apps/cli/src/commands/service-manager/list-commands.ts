import { ChandleryError, isError } from '@chandlery/api';
import type { Command, CommandContext } from '../../command.ts';
import { commonFlags, printingOf, queriesOf, queryFlags } from '../../service-manager/flags.ts';
import { printList } from '../../service-manager/print.ts';
import { namesOf } from '../../service-manager/queries.ts';
import { connectSm, type SmClient, type SmQuery } from '../../service-manager/sm-client.ts';
import { type SmKind, smKinds } from '../../service-manager/sm-kinds.ts';
import type { SmObject } from '../../service-manager/sm-types.ts';
import { environmentFlag, environmentQuery } from './environment-flag.ts';
import { groups } from './groups.ts';

interface List {
  readonly kind: SmKind;
  readonly alias?: string;
  /** What is listed. */
  readonly plural: string;
  readonly group: string;
  readonly example: string;
  readonly hasEnvironment?: boolean;
  /** Whether each item is asked for with its last operation. Default false. */
  readonly hasLastOperation?: boolean;
}

const lists: readonly List[] = [
  {
    kind: smKinds.brokers,
    alias: 'lb',
    plural: 'service brokers',
    group: groups.brokers,
    example: `-f "name eq 'pg'"`,
    hasLastOperation: true,
  },
  {
    kind: smKinds.platforms,
    alias: 'lp',
    plural: 'platforms',
    group: groups.brokers,
    example: `-l "tier in ('prod','stage')"`,
  },
  {
    kind: smKinds.visibilities,
    alias: 'lv',
    plural: 'visibilities',
    group: groups.catalog,
    example: `-f "platform_id eq 'eu-1'"`,
  },
  {
    kind: smKinds.offerings,
    alias: 'lo',
    plural: 'service offerings',
    group: groups.catalog,
    example: `-f "bindable eq true"`,
    hasEnvironment: true,
  },
  {
    kind: smKinds.plans,
    plural: 'service plans',
    group: groups.catalog,
    example: `-f "free eq true" -o json`,
    hasEnvironment: true,
  },
  {
    kind: smKinds.instances,
    alias: 'li',
    plural: 'service instances',
    group: groups.instances,
    example: `-f "platform_id eq 'service-manager'" -f "ready eq false"`,
    hasLastOperation: true,
  },
  {
    kind: smKinds.operations,
    plural: 'operations',
    group: groups.others,
    example: `-f "state eq 'failed'"`,
  },
];

/** Commands that list resources, to the last page. */
export const listCommands: readonly Command[] = lists.map(listCommand);

function listCommand({ kind, alias, plural, group, example, hasEnvironment = false, ...list }: List): Command {
  return {
    name: kind.list,
    ...(alias === undefined ? {} : { aliases: [alias] }),
    group,
    summary: `List the ${plural}`,
    usage: '[flags]',
    examples: [`chandlery ${kind.list}`, `chandlery ${kind.list} ${example}`],
    options: { ...queryFlags, ...(hasEnvironment ? environmentFlag : {}), ...commonFlags },
    goal: () => `list the ${plural}`,
    async run(context) {
      printingOf(context.flags);
      await using sm = connectSm(context);
      const attached = list.hasLastOperation === true ? ([['attach_last_operations', 'true']] as const) : [];
      const query = [...queriesOf(context.flags), ...environmentQuery(context.flags), ...attached];
      printList(context, kind, await listed(sm, kind, query));
      return 0;
    },
  };
}

/** Most errors of a list are those of its queries. */
function listed(sm: SmClient, kind: SmKind, query: SmQuery): Promise<SmObject[]> {
  return sm.all(kind.path, { query }).catch((thrown: unknown) => {
    if (!isError(thrown, 'BadRequest')) throw thrown;
    throw new ChandleryError(thrown.code, thrown.message, {
      hint: `A query looks like "name eq 'a' and created_at ge 2026-01-31T00:00:00Z"; -o json shows the fields there are.`,
    });
  });
}

/** Bindings are listed with the names of their instances. */
export const listBindingsCommand: Command = {
  name: smKinds.bindings.list,
  aliases: ['lsb'],
  group: groups.instances,
  summary: 'List the service bindings',
  usage: '[flags]',
  examples: ['chandlery list-bindings', `chandlery list-bindings -f "name eq 'app'"`],
  options: { ...queryFlags, ...commonFlags },
  goal: () => 'list the service bindings',
  async run(context) {
    printingOf(context.flags);
    await using sm = connectSm(context);
    const query = [...queriesOf(context.flags), ['attach_last_operations', 'true'] as const];
    await printBindings(context, sm, await listed(sm, smKinds.bindings, query));
    return 0;
  },
};

async function printBindings(context: CommandContext, sm: SmClient, bindings: readonly SmObject[]): Promise<void> {
  const isTable = printingOf(context.flags) === 'table';
  const ids = bindings.map(({ service_instance_id = '' }) => service_instance_id);
  const names = isTable ? await namesOf(sm, smKinds.instances, ids) : new Map<string, string>();
  const [id, name, , ...others] = smKinds.bindings.columns;
  const instance = [
    'instance name',
    ({ service_instance_id = '' }: SmObject) => names.get(service_instance_id),
  ] as const;
  printList(context, { ...smKinds.bindings, columns: [id, name, instance, ...others] }, bindings);
}
