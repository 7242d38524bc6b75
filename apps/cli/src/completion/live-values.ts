import { type HttpClient, readKubeconfig } from '@chandlery/client';
import { parseFlags, tokensOf } from '../args/flags.ts';
import { flagsOf } from '../args/global-flags.ts';
import { logicalClusters } from '../clusters/logical-cluster.ts';
import type { CommandContext, LiveValues } from '../command.ts';
import { connect, kubeconfigPathOf } from '../landscape/connect.ts';
import { findKind } from '../resources/discover.ts';
import { collectionIn, openScope, type Scope } from '../resources/scope.ts';
import { connectSm } from '../service-manager/sm-client.ts';

/** After this time a completion offers nothing. */
const patienceMs = 1000;
/** More names than this are not offered. */
const maxNames = 200;

/** Reads values from the landscape. Whatever goes wrong, or takes too long, there are none. */
export async function readLiveValues(
  context: CommandContext,
  wanted: LiveValues,
  typed: readonly string[],
): Promise<readonly string[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(() => resolve([]), patienceMs);
  try {
    return await Promise.race([read(context, wanted, typed), late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function read(context: CommandContext, wanted: LiveValues, typed: readonly string[]): Promise<readonly string[]> {
  if (wanted.type === 'contexts')
    return readKubeconfig(kubeconfigPathOf(context)).file.contexts.map(({ name }) => name);
  if (wanted.type === 'clusters') {
    await using client = connect(context);
    return await namesIn(client, logicalClusters);
  }
  if (wanted.type === 'service-manager') return serviceManagerNames(context, wanted.path);
  if (wanted.type === 'list') return listedNames(context, wanted.command, typed);
  await using scope = await openScope(context, wanted.type === 'names' ? wanted.cluster : undefined);
  if (wanted.type === 'namespaces')
    return await namesIn(scope.client, { group: '', version: 'v1', plural: 'namespaces' });
  if (wanted.type === 'kinds') return kindNames(scope);
  const collection = collectionIn(scope, findKind(wanted.kind, scope.kinds));
  return (await namesIn(scope.client, collection)).map(name => `${wanted.prefix}${name}`);
}

async function serviceManagerNames(context: CommandContext, path: string): Promise<readonly string[]> {
  await using sm = connectSm(context);
  const { items = [] } = await sm.get<{ items?: { name?: string }[] }>(path, { query: [['max_items', `${maxNames}`]] });
  return items.flatMap(({ name = [] }) => name);
}

const kindNames = ({ kinds }: Scope): string[] => [
  ...new Set(kinds.filter(({ verbs }) => verbs.includes('list')).map(({ ref }) => ref.plural)),
];

async function namesIn(client: HttpClient, ref: Parameters<HttpClient['list']>[0]): Promise<string[]> {
  const { items } = await client.list(ref, { limit: maxNames });
  return items.map(({ metadata }) => metadata.name ?? '');
}

interface ListedItem {
  readonly name?: string;
  readonly spec?: { readonly name?: string; readonly clusterId?: string };
  readonly metadata?: { readonly name?: string };
  readonly id?: string;
}

/** Runs a command that lists, with those of the typed flags that it has, and reads how its objects are called. */
async function listedNames(context: CommandContext, name: string, typed: readonly string[]): Promise<string[]> {
  const command = context.commands.find(known => known.name === name);
  if (command === undefined) return [];
  const table = flagsOf(command);
  const given = tokensOf(typed, table).flatMap(token =>
    token.kind === 'option' && table[token.name]?.type === 'text' && token.value !== undefined
      ? [`--${token.name}=${token.value}`]
      : [],
  );
  const { flags } = parseFlags([...given, '--output=json'], table);
  let text = '';
  const write = (chunk: string | Uint8Array): void => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
  };
  await command.run({
    ...context,
    args: [],
    rawArgs: [],
    flags,
    stdout: { write },
    stderr: { write: () => undefined },
  });
  const printed = JSON.parse(text) as readonly ListedItem[] | { readonly items?: readonly ListedItem[] };
  const items = 'items' in printed ? (printed.items ?? []) : (printed as readonly ListedItem[]);
  return [...new Set(items.flatMap(item => nameOfItem(item) ?? []))].slice(0, maxNames);
}

const nameOfItem = ({ name, spec = {}, metadata = {}, id }: ListedItem): string | undefined =>
  name ?? spec.name ?? spec.clusterId ?? metadata.name ?? id;
