import { ChandleryError, isError } from '@chandlery/api';
import type { Flag, Flags } from '../../args/flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Command, CommandContext, Right } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { watched } from '../../output/watched.ts';
import { hiddenNote } from '../../rights/explain-forbidden.ts';
import { commonFlags, queriesOf, queryFlags } from '../flags.ts';
import { printList } from '../print.ts';
import { connectSm, type SmClient, type SmQuery } from '../sm-client.ts';
import { type SmKind, smKinds } from '../sm-kinds.ts';
import { bindingRight, instanceRight } from '../sm-rights.ts';
import type { SmObject } from '../sm-types.ts';
import { environmentFlag, environmentQuery } from './environment-flag.ts';
import { groups } from './groups.ts';

interface List {
  readonly kind: SmKind;
  readonly aliases: readonly string[];
  /** What is listed. */
  readonly plural: string;
  readonly group: string;
  readonly example: string;
  readonly hasEnvironment?: boolean;
  /** How the first one is made; said when there are none, unless a query chose. Default: nothing. */
  readonly whenEmpty?: string;
  /** Without them the list is empty. Default: all users may list. */
  readonly rights?: readonly Right[];
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
    aliases: ['list-brokers', 'lb'],
    plural: 'service brokers',
    group: groups.brokers,
    example: `-q "name eq 'pg'"`,
    whenEmpty: 'Register one: npx chandlery broker register NAME URL -b USER:PASSWORD',
    hasLastOperation: true,
  },
  {
    kind: smKinds.platforms,
    aliases: ['list-platforms', 'lp'],
    plural: 'platforms',
    group: groups.brokers,
    example: `-l "tier in ('prod','stage')"`,
  },
  {
    kind: smKinds.visibilities,
    aliases: ['list-visibilities', 'lv'],
    plural: 'visibilities',
    group: groups.catalog,
    example: `-q "platform_id eq 'eu-1'"`,
  },
  {
    kind: smKinds.offerings,
    aliases: ['list-offerings', 'lo'],
    plural: 'service offerings',
    group: groups.catalog,
    example: `-q "bindable eq true"`,
    hasEnvironment: true,
  },
  {
    kind: smKinds.plans,
    aliases: ['list-plans'],
    plural: 'service plans',
    group: groups.catalog,
    example: `-q "free eq true" -o json`,
    hasEnvironment: true,
  },
  {
    kind: smKinds.instances,
    aliases: ['list-instances', 'li'],
    rights: [instanceRight('list')],
    plural: 'service instances',
    whenEmpty:
      'Create one: npx chandlery instance create NAME OFFERING PLAN ("npx chandlery marketplace" shows what there is)',
    group: groups.instances,
    example: `-q "platform_id eq 'service-manager'" -q "ready eq false"`,
    hasLastOperation: true,
  },
  {
    kind: smKinds.bindings,
    aliases: ['list-bindings', 'lsb'],
    rights: [bindingRight('list')],
    plural: 'service bindings',
    whenEmpty: 'Create one: npx chandlery binding create INSTANCE NAME',
    group: groups.instances,
    example: `-q "name eq 'app'"`,
    hasLastOperation: true,
  },
  {
    kind: smKinds.operations,
    aliases: ['list-operations'],
    plural: 'operations',
    group: groups.others,
    example: `-q "state eq 'failed'"`,
    isNewestFirst: true,
  },
];

/** Commands that list resources, to the last page. */
export const listCommands: readonly Command[] = lists.map(list => watched(listCommand(list)));

function listCommand({
  kind,
  aliases,
  plural,
  group,
  example,
  hasEnvironment = false,
  rights,
  ...list
}: List): Command {
  return {
    name: kind.list,
    aliases,
    group,
    summary: `List the ${plural}`,
    usage: '[flags]',
    examples: [`chandlery ${kind.list}`, `chandlery ${kind.list} ${example}`],
    formats: resultFormats,
    options: {
      ...queryFlags,
      ...(hasEnvironment ? environmentFlag : {}),
      ...(list.isNewestFirst === true ? limitFlag : {}),
      ...commonFlags,
    },
    ...(rights === undefined ? {} : { rights }),
    goal: () => `list the ${plural}`,
    async run(context) {
      await using sm = connectSm(context);
      const attached = list.hasLastOperation === true ? ([['attach_last_operations', 'true']] as const) : [];
      const chosen = [...queriesOf(context.flags), ...environmentQuery(context.flags)];
      const query = [...chosen, ...attached];
      const limit = list.isNewestFirst === true ? limitOf(context.flags) : undefined;
      const items = await listed(sm, kind, query);
      const shown = limit === undefined ? items : newestOf(context, items, limit);
      const note = shown.length === 0 ? await hiddenNote(context, rights) : undefined;
      const whenEmpty = chosen.length === 0 && note === undefined ? list.whenEmpty : undefined;
      await printList(context, sm, { kind, items: shown, whenEmpty });
      if (note !== undefined) context.stderr.write(note);
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
    stderr.write(`The newest ${limit} of ${items.length}; --limit 0 shows all, -q "..." chooses.\n`);
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
