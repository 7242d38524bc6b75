import type { KubeObject } from '@chandlery/api';
import { conditionsOf } from '@chandlery/runtime';
import type { Flag, Flags } from '../args/flags.ts';
import { formatOf, secondsOf } from '../args/global-flags.ts';
import { clustersGroup } from '../clusters/logical-cluster.ts';
import type { Command, CommandContext } from '../command.ts';
import { whoAmI } from '../login/who-am-i.ts';
import { resultFormats } from '../output/print-object.ts';
import { printOne } from '../output/print-results.ts';
import { deleteCommand } from '../resources/delete-command.ts';
import { findKind } from '../resources/discover.ts';
import { getCommand } from '../resources/get-command.ts';
import { collectionIn, labelOf, openScope, scopeFlags, withoutManagedFields } from '../resources/scope.ts';
import { suggestingNames } from '../resources/suggest-name.ts';
import { notReady, until } from '../resources/until.ts';
import {
  assertPlace,
  hasMembers,
  newTenantObject,
  type TenantKind,
  tenantKinds,
  tenantNamespace,
} from './tenant-kinds.ts';

const defaultTimeoutSeconds = 120;

const memberFlags = {
  'display-name': { type: 'text', valueName: 'TEXT', about: 'A name for people.' },
  admin: { type: 'text', valueName: 'USER', about: 'An administrator, besides you.', isMultiple: true },
  viewer: { type: 'text', valueName: 'USER', about: 'A member who only reads.', isMultiple: true },
} as const satisfies Record<string, Flag>;

const placeFlags = ({ scope }: TenantKind): Record<string, Flag> => ({
  ...(scope === 'none' ? {} : { project: { type: 'text', valueName: 'NAME', about: 'Of this project.' } }),
  ...(scope === 'workspace'
    ? { workspace: { type: 'text', valueName: 'NAME', about: 'Of this workspace of it.' } }
    : {}),
  ...(scope === 'none'
    ? {}
    : { namespace: { ...scopeFlags.namespace, about: "Instead: its namespace. Default: the context's." } }),
  cluster: scopeFlags.cluster,
});

const examplePlace = { none: '', project: ' --project acme', workspace: ' --project acme --workspace dev' } as const;
const exampleName = { none: 'acme', project: 'dev', workspace: 'web' } as const;

function createCommand(kind: TenantKind): Command {
  const { noun, words, scope } = kind;
  const example = `chandlery ${noun} create ${exampleName[scope]}${examplePlace[scope]}`;
  return {
    name: `${noun} create`,
    group: clustersGroup,
    summary: `Create a ${words}`,
    usage: 'NAME [flags]',
    examples: [`${example} --wait`, ...(scope === 'workspace' ? [] : [`${example} --admin jane --viewer ben`])],
    arguments: { required: ['NAME'] },
    formats: resultFormats,
    options: {
      ...placeFlags(kind),
      ...(scope === 'workspace' ? {} : memberFlags),
      wait: { type: 'switch', about: 'Wait until it is ready. Default: false.' },
      timeout: { type: 'text', valueName: 'TIME', about: `How long to wait. Default: ${defaultTimeoutSeconds}s.` },
    },
    ...(scope === 'workspace'
      ? { notes: ['"npx chandlery controlplane kubeconfig NAME" prints how to get in, once it is ready.'] }
      : {}),
    goal: ([name]) => `create the ${words} "${name}"`,
    run: context => create(context, kind),
  };
}

async function create(context: CommandContext, kind: TenantKind): Promise<number> {
  const { flags, args } = context;
  const format = formatOf(flags, resultFormats);
  const timeoutMs = secondsOf(flags, 'timeout', defaultTimeoutSeconds);
  await using scope = await openScope(inPlace(context, kind));
  assertPlace(kind, scope.namespace);
  const creator = hasMembers(flags) ? await creatorOf(scope.client) : undefined;
  const wanted = newTenantObject(kind, args[0] ?? '', { flags, creator });
  const served = findKind(kind.resource, scope.kinds);
  const ref = collectionIn(scope, served);
  const created = await scope.client.create(ref, wanted);
  const label = labelOf(served, created.metadata.name ?? '');
  const target = { ...ref, name: created.metadata.name ?? '' };
  let object: KubeObject = created;
  if (flags.isOn('wait')) {
    const isDone = (now: KubeObject | undefined): boolean => {
      object = now ?? object;
      return isReady(now);
    };
    const waiting = { timeoutMs, progress: context.stderr, label, cluster: flags.text('cluster') };
    const state = 'it exists and is not ready';
    await until(scope.client, target, { ...waiting, isDone, state, reasonOf: notReady });
  }
  const render = (): string => `${label} ${isReady(object) ? 'ready' : 'created'}\n`;
  printOne(context, { object: withoutManagedFields({ ...wanted, ...object }), format, render, name: () => label });
  return 0;
}

/** Who creates something is its administrator, but for operators, who create things for others. */
async function creatorOf(client: Parameters<typeof whoAmI>[0]): Promise<string | undefined> {
  const { username, groups } = await whoAmI(client);
  return groups.includes('system:masters') ? undefined : username;
}

const isReady = (object: KubeObject | undefined): boolean =>
  object !== undefined && conditionsOf(object).some(({ type, status }) => type === 'Ready' && status === 'True');

/** The context of a generic command, in the namespace of a tenant. */
const inPlace = (
  context: CommandContext,
  kind: TenantKind,
  more: Readonly<Record<string, boolean>> = {},
): CommandContext => ({
  ...context,
  flags: withFlags(context.flags, tenantNamespace(context.flags, kind), more),
});

function withFlags(flags: Flags, namespace: string | undefined, more: Readonly<Record<string, boolean>>): Flags {
  return {
    texts: name => (name === 'namespace' && namespace !== undefined ? [namespace] : flags.texts(name)),
    text: name => (name === 'namespace' ? namespace : flags.text(name)),
    isOn: (name, byDefault) => more[name] ?? flags.isOn(name, byDefault),
  };
}

function listCommand(kind: TenantKind): Command {
  const { noun, words, resource, scope } = kind;
  return {
    name: `${noun} list`,
    group: clustersGroup,
    summary: `List the ${words}s that you may see`,
    usage: '[flags]',
    examples: [`chandlery ${noun} list`, `chandlery ${noun} list -o wide`],
    formats: resultFormats,
    options: { ...placeFlags(kind), watch: getCommand.options['watch'] as Flag },
    goal: () => `list the ${words}s`,
    run: context => {
      const isEverywhere = scope !== 'none' && tenantNamespace(context.flags, kind) === undefined;
      return getCommand.run({ ...inPlace(context, kind, { 'all-namespaces': isEverywhere }), args: [resource] });
    },
  };
}

function verbCommand(kind: TenantKind, verb: 'get' | 'delete', generic: Command): Command {
  const { noun, words, resource, scope } = kind;
  const {
    namespace: _,
    cluster: __,
    filename: ___,
    'all-namespaces': ____,
    selector: _____,
    ...options
  } = generic.options;
  const summary = verb === 'get' ? `Show a ${words}` : `Delete a ${words} with everything in it`;
  const example = `chandlery ${noun} ${verb} ${exampleName[scope]}${examplePlace[scope]}`;
  return {
    name: `${noun} ${verb}`,
    group: clustersGroup,
    summary,
    usage: 'NAME [flags]',
    examples: [example, verb === 'get' ? `${example} -o yaml` : `${example} --yes`],
    arguments: { required: ['NAME'] },
    formats: generic.formats ?? [],
    options: { ...placeFlags(kind), ...options },
    goal: ([name]) => `${verb} the ${words} "${name}"`,
    run: context => suggestingNames(generic).run({ ...inPlace(context, kind), args: [resource, ...context.args] }),
  };
}

/** Commands for projects, workspaces and control planes. */
export const tenantCommands: readonly Command[] = tenantKinds.flatMap(kind => [
  listCommand(kind),
  verbCommand(kind, 'get', getCommand),
  createCommand(kind),
  verbCommand(kind, 'delete', deleteCommand),
]);
