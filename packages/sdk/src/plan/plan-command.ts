import { readFile } from 'node:fs/promises';
import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { silentLogger } from '@chandlery/platform';
import { apply, parseKey, SharedInformers } from '@chandlery/runtime';
import { parse } from 'yaml';
import { Access } from '../access/access.ts';
import { ConnectionPool } from '../access/connection-pool.ts';
import type { ConfigObject } from '../definition/config-kind.ts';
import type { ProviderDefinition } from '../definition/provider-definition.ts';
import type { ServiceObject } from '../definition/service-kind.ts';
import {
  type AccessRequirement,
  accessRequirementsOf,
  onboardingRequirement,
  runToken,
} from '../model/access-requirements.ts';
import { configNameOf } from '../model/names.ts';
import type { ClusterConnection } from '../objects/cluster-connection.ts';
import type { ProviderArguments } from '../process/arguments.ts';
import { type PlannedChange, planObject } from './plan-object.ts';

export interface PlanCommandOptions {
  readonly args: ProviderArguments;
  /** Needs the rights of an operator: to read requests and their Secrets. */
  readonly platform: Client;
  readonly connect?: (kubeconfig: string) => Client;
  readonly out: (text: string) => void;
}

/** Prints what the provider would change for an object. Requests no access and changes nothing. */
export async function planCommand(definition: ProviderDefinition, options: PlanCommandOptions): Promise<number> {
  const { args, platform, connect, out } = options;
  const { provider } = args;
  const signal = new AbortController().signal;
  await using stack = new AsyncDisposableStack();
  const pool = stack.use(new ConnectionPool({ platform, ...(connect && { connect }) }));
  const informers = stack.use(new SharedInformers());
  const access = new Access({ provider, platform, informers, pool });
  const open = async (requirement: AccessRequirement | undefined): Promise<ClusterConnection | undefined> => {
    const state = requirement && (await access.peek(requirement, signal));
    return state?.type === 'ready' ? state.connection : undefined;
  };
  const onboarding = await open(onboardingRequirement(provider, 'onboarding', runToken(definition)));
  if (onboarding === undefined) throw notRunning(provider);
  const object = await readObject(definition, args, onboarding.client);
  const { namespace = '', name = '' } = object.metadata;
  const requirements = accessRequirementsOf(definition, provider, { namespace, name });
  const [mcp, workload] = [await open(requirements.mcp), await open(requirements.workload)];
  const config = await platform.get<ConfigObject>({ ...definition.config.ref, name: configNameOf(object, provider) });
  const connections = { ...(mcp && { mcp }), ...(workload && { workload }) };
  const changes = await planObject(definition, object, {
    provider,
    config,
    platform,
    connections,
    signal,
    logger: silentLogger,
  });
  out(args.output === 'json' ? renderJson(object, changes) : render(object, changes));
  return 0;
}

/** Reads the object from the cluster, or from a file as the cluster would store it. */
async function readObject(
  { api }: ProviderDefinition,
  { object, file, provider }: ProviderArguments,
  onboarding: Client,
): Promise<ServiceObject> {
  if (file === undefined) {
    const { namespace, name } = parseKey(object ?? '');
    if (namespace === undefined) throw new ChandleryError('UsageError', '--object is not <namespace>/<name>');
    return onboarding.get<ServiceObject>({ ...api.ref, namespace, name });
  }
  const wanted = parse(await readFile(file, 'utf8')) as KubeObject | null;
  if (wanted?.kind !== api.kind || !wanted.metadata?.name || !wanted.metadata.namespace)
    throw new ChandleryError('UsageError', `${file} holds no ${api.kind} with a name and a namespace`);
  const desired = [{ plural: api.plural, object: wanted }];
  const [checked] = await apply(onboarding, `plan.${provider}`, desired, { isDryRun: true });
  return checked as ServiceObject;
}

const signs = { create: '+', update: '~', delete: '-' } as const;
const places = { mcp: ' on the control plane', workload: ' on the workload cluster', service: '' } as const;

/** One line for each change, in the style of a diff. */
function render({ kind, metadata }: ServiceObject, changes: readonly PlannedChange[]): string {
  const title = `${kind} ${metadata.namespace}/${metadata.name}`;
  if (changes.length === 0) return `${title}: nothing would change.\n`;
  const lines = changes.map(({ action, what, where, fields }) => {
    const detail = fields.length === 0 ? '' : `: ${fields.join(', ')}`;
    return `  ${signs[action]} ${what}${places[where]}${detail}\n`;
  });
  return `${title}: ${changes.length} ${changes.length === 1 ? 'change' : 'changes'}\n${lines.join('')}`;
}

function renderJson({ apiVersion, kind, metadata }: ServiceObject, changes: readonly PlannedChange[]): string {
  const { namespace, name } = metadata;
  return `${JSON.stringify({ object: { apiVersion, kind, namespace, name }, changes }, undefined, 2)}\n`;
}

const notRunning = (provider: string): ChandleryError =>
  new ChandleryError('ClusterUnavailable', `provider "${provider}" has no access to the onboarding cluster`, {
    hint: 'Start it first: plan uses the access of the running provider.',
  });
