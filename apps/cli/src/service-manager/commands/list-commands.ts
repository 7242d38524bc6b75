import { ChandleryError, isError } from '@chandlery/api';
import type { Flag, Flags } from '../../args/flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Command, CommandContext } from '../../command.ts';
import { commonFlags, printingOf, queriesOf, queryFlags } from '../flags.ts';
import { columnsWithNames } from '../named-columns.ts';
import { printList } from '../print.ts';
import { namesOf } from '../queries.ts';
import { connectSm, type SmClient, type SmQuery } from '../sm-client.ts';
import { type SmKind, smKinds } from '../sm-kinds.ts';
import type { SmObject } from '../sm-types.ts';
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
  /** Whether the newest are listed first, and only so many. Default: all, in the order of the service manager. */
  readonly isNewestFirst?: boolean;
}

const defaultLimit = 50;
const limitFlag = {
  limit: { type: 'text', valueName: 'N', about: `How many are shown, newest first. Default: ${defaultLimit}; 0: all.` },
} as const satisfies Record<string, Flag>;

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
    isNewestFirst: true,
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
    options: {
      ...queryFlags,
      ...(hasEnvironment ? environmentFlag : {}),
      ...(list.isNewestFirst === true ? limitFlag : {}),
      ...commonFlags,
    },
    goal: () => `list the ${plural}`,
    async run(context) {
      printingOf(context.flags);
      await using sm = connectSm(context);
      const attached = list.hasLastOperation === true ? ([['attach_last_operations', 'true']] as const) : [];
      const query = [...queriesOf(context.flags), ...environmentQuery(context.flags), ...attached];
      const limit = list.isNewestFirst === true ? limitOf(context.flags) : undefined;
      const items = await listed(sm, kind, query);
      const shown = limit === undefined ? items : newestOf(context, items, limit);
      const isTable = printingOf(context.flags) === 'table';
      const columns = isTable ? await columnsWithNames(sm, kind, shown) : kind.columns;
      printList(context, { ...kind, columns }, shown);
      return 0;
    },
  };
}

function limitOf(flags: Flags): number {
  const given = flags.text('limit') ?? String(defaultLimit);
  if (!/^\d+$/.test(given)) throw usageError('InvalidOption', '--limit must be a whole number');
  return Number(given) || Number.POSITIVE_INFINITY;
}

/** The newest items, newest first. The service manager lists in the order of creation. */
function newestOf({ stderr }: CommandContext, items: readonly SmObject[], limit: number): SmObject[] {
  if (items.length > limit)
    stderr.write(`The newest ${limit} of ${items.length}; --limit 0 shows all, -f "..." chooses.\n`);
  return items.toReversed().slice(0, limit);
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
