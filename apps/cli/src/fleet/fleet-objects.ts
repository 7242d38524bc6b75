import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import {
  type FleetCluster,
  type FleetInstance,
  type FleetInstanceRecord,
  type FleetRollout,
  fleetCluster,
  fleetKinds,
} from '@chandlery/fleet/kinds';
import type { Flags } from '../args/flags.ts';
import type { CommandContext } from '../command.ts';
import { connectTo } from '../landscape/connect-to.ts';

/** Which objects are meant; undefined fields: any. */
export interface FleetScope {
  readonly product: string | undefined;
  readonly organisation: string | undefined;
}

/** The scope that flags name. */
export const scopeOf = (flags: Flags): FleetScope => ({
  product: flags.text('product'),
  organisation: flags.text('org'),
});

/** A client of the logical cluster that holds the objects of the fleet. */
export const connectObjects = (context: CommandContext): Client => connectTo(context, fleetCluster);

/** The name of an instance, which is unique in its organisation. */
export const displayName = ({ metadata, spec }: FleetInstance): string => spec.name ?? metadata.name ?? '';

/** All instances of a scope, by product, organisation and name. */
export async function listInstances(client: Client, scope: FleetScope): Promise<FleetInstance[]> {
  const all = await Array.fromAsync(client.listAll<FleetInstance>(fleetKinds.instances.ref));
  return sortedBy(
    all.filter(({ spec }) => isIn(scope, spec)),
    object => [object.spec.product, object.spec.organisation, displayName(object)],
  );
}

/** What remains of deleted instances of a scope, the newest first. */
export async function listRecords(client: Client, scope: FleetScope): Promise<FleetInstanceRecord[]> {
  const all = await Array.fromAsync(client.listAll<FleetInstanceRecord>(fleetKinds.records.ref));
  return sortedBy(
    all.filter(({ spec }) => isIn(scope, spec)),
    ({ spec }) => [spec.deletedAt],
  ).reverse();
}

/** All clusters of a product, or of all products. */
export async function listClusters(client: Client, product: string | undefined): Promise<FleetCluster[]> {
  const all = await Array.fromAsync(client.listAll<FleetCluster>(fleetKinds.clusters.ref));
  return sortedBy(
    all.filter(({ spec }) => product === undefined || spec.product === product),
    ({ spec }) => [spec.product, spec.clusterId],
  );
}

/** All rollouts of a product, or of all products. */
export async function listRollouts(client: Client, product: string | undefined): Promise<FleetRollout[]> {
  const all = await Array.fromAsync(client.listAll<FleetRollout>(fleetKinds.rollouts.ref));
  return all.filter(({ spec }) => product === undefined || spec.product === product);
}

/** The one instance that has an id or a name. Rejects with `NotFound` and `Ambiguous`. */
export async function findInstance(client: Client, wanted: string, scope: FleetScope): Promise<FleetInstance> {
  const byId = await client.list<FleetInstance>(fleetKinds.instances.ref, { fieldSelector: `metadata.name=${wanted}` });
  const [same] = byId.items.filter(({ spec }) => isIn(scope, spec));
  if (same !== undefined) return same;
  const named = (await listInstances(client, scope)).filter(instance => displayName(instance) === wanted);
  return onlyOne(named, {
    what: `instance "${wanted}"`,
    list: 'npx chandlery fleet instance list',
    describe: ({ metadata, spec }) => `${metadata.name} (product ${spec.product}, organisation ${spec.organisation})`,
    choose: 'Give its id, or --product and --org.',
  });
}

/** The one cluster that has an id, or the name of an object, as lists print it. Rejects with `NotFound` and `Ambiguous`. */
export async function findCluster(
  client: Client,
  clusterId: string,
  product: string | undefined,
): Promise<FleetCluster> {
  const named = (await listClusters(client, product)).filter(
    ({ spec, metadata }) => spec.clusterId === clusterId || metadata.name === clusterId,
  );
  return onlyOne(named, {
    what: `cluster "${clusterId}"`,
    list: 'npx chandlery fleet cluster list',
    describe: ({ spec }) => `${spec.clusterId} (product ${spec.product})`,
    choose: 'Give --product.',
  });
}

interface Search<T> {
  readonly what: string;
  readonly list: string;
  readonly describe: (object: T) => string;
  readonly choose: string;
}

function onlyOne<T>(found: readonly T[], { what, list, describe, choose }: Search<T>): T {
  const [first, ...others] = found;
  if (first === undefined)
    throw new ChandleryError('NotFound', `there is no ${what}`, { hint: `See what there is with "${list}".` });
  if (others.length === 0) return first;
  throw new ChandleryError('Ambiguous', `there are ${found.length} of ${what}: ${found.map(describe).join(', ')}`, {
    hint: choose,
  });
}

const isIn = (
  { product, organisation }: FleetScope,
  spec: { readonly product: string; readonly organisation: string },
): boolean =>
  (product === undefined || spec.product === product) &&
  (organisation === undefined || spec.organisation === organisation);

function sortedBy<T>(items: readonly T[], keyOf: (item: T) => readonly string[]): T[] {
  const keyed = items.map(item => ({ item, key: keyOf(item).join('\0') }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ item }) => item);
}
