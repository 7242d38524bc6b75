import { Resolver } from 'node:dns/promises';
import { readdir, readFile } from 'node:fs/promises';
import type { PlannedInstance, StoryFleet } from './story-fleet.ts';

/** Everything that instances consist of, counted where it is. */
export interface FleetCensus {
  /** By product and state. */
  readonly instances: Readonly<Record<string, number>>;
  /** Processes of this machine. */
  readonly processes: number;
  /** Hosts that DNS knows. */
  readonly dnsRecords: number;
  readonly ssoClients: number;
  /** Secrets of the fleet with credentials of instances. */
  readonly secrets: number;
  /** Units in use, by product and organisation. */
  readonly quota: Readonly<Record<string, number>>;
  /** By cluster and kind. */
  readonly objects: Readonly<Record<string, number>>;
}

const kindsOf = {
  dinosaurs: [
    'v1/namespaces',
    'v1/secrets',
    'v1/services',
    'v1/persistentvolumeclaims',
    'apps/v1/deployments',
    'v1/pods',
  ],
  fossils: ['v1/namespaces', 'v1/secrets', 'v1/services', 'v1/configmaps'],
} as const;

/** Counts what there is. */
export async function takeCensus(fleet: StoryFleet): Promise<FleetCensus> {
  const items = await fleet.listAll();
  const states = fleet.plan.flatMap(({ product, name }) => {
    const item = items.get(name);
    return item === undefined ? [] : [`${product} ${item.status}`];
  });
  const secrets = await secretNames(fleet);
  return {
    instances: countBy(states),
    processes: await countProcesses(fleet),
    dnsRecords: await countHosts(fleet),
    ssoClients: secrets.filter(name => name.startsWith('sso-client-')).length,
    secrets: secrets.filter(name => name.startsWith('instance-')).length,
    quota: await readQuota(fleet),
    objects: await countObjects(fleet),
  };
}

/** What there should be while some of the plan's instances are ready and nothing is left of the others. */
export function expectedCensus({ plan, planes }: StoryFleet, alive: readonly PlannedInstance[]): FleetCensus {
  const objects = [...planes.values()].flatMap(({ options }) => {
    const { product, clusterId, region } = options;
    const here = alive.filter(planned => planned.product === product && planned.region === region);
    return here.flatMap(() => kindsOf[product].map(kind => `${clusterId} ${kind}`));
  });
  const quota = Object.fromEntries(plan.map(planned => [scopeOf(planned), 0]));
  return {
    instances: countBy(alive.map(({ product }) => `${product} ready`)),
    processes: alive.filter(({ product }) => product === 'dinosaurs').length,
    dnsRecords: alive.length,
    ssoClients: alive.length,
    secrets: alive.length,
    quota: { ...quota, ...countBy(alive.map(scopeOf)) },
    objects: countBy(objects),
  };
}

const scopeOf = ({ product, organisation }: PlannedInstance): string => `${product} ${organisation}`;

function countBy(keys: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const key of keys.toSorted()) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

async function namesIn(fleet: StoryFleet, path: string): Promise<readonly string[]> {
  const { text } = await fleet.call('GET', path);
  const { items } = JSON.parse(text) as { items: readonly { readonly metadata: { readonly name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

const secretNames = (fleet: StoryFleet): Promise<readonly string[]> =>
  namesIn(fleet, '/clusters/onboarding/api/v1/namespaces/fleet/secrets');

/** By the name of the instance in the environment, so that a process whose parent was killed counts too. */
async function countProcesses({ plan }: StoryFleet): Promise<number> {
  const names = new Set(plan.filter(({ product }) => product === 'dinosaurs').map(({ name }) => `NAME=${name}`));
  const pids = (await readdir('/proc')).filter(entry => /^\d+$/.test(entry));
  const found = await Promise.all(
    pids.map(async pid => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.split('\0').some(entry => names.has(entry));
    }),
  );
  return found.filter(Boolean).length;
}

async function countHosts({ hosts, dnsPort }: StoryFleet): Promise<number> {
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${dnsPort}`]);
  const found = await Promise.all(
    [...hosts].map(host =>
      resolver.resolve4(host).then(
        addresses => addresses.length,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOTFOUND') throw error;
          return 0;
        },
      ),
    ),
  );
  return found.reduce((sum, count) => sum + count, 0);
}

async function readQuota(fleet: StoryFleet): Promise<Readonly<Record<string, number>>> {
  const products = [...new Set(fleet.plan.map(({ product }) => product))];
  const lines = await Promise.all(
    products.map(async product => {
      const { text } = await fleet.call('GET', `/api/fleet_mgmt/v1/quota?product=${product}`);
      const { items } = JSON.parse(text) as { items: readonly { organisation: string; used: number }[] };
      return items.map(({ organisation, used }) => [`${product} ${organisation}`, used] as const);
    }),
  );
  return Object.fromEntries(lines.flat());
}

async function countObjects(fleet: StoryFleet): Promise<Readonly<Record<string, number>>> {
  const keys = [...fleet.planes.values()].flatMap(plane => {
    const { product } = plane.options;
    return kindsOf[product].map(async kind => {
      const at = kind.lastIndexOf('/');
      const prefix = kind.startsWith('apps/') ? 'apis' : 'api';
      const selector = encodeURIComponent(`fleet.chandlery.io/product=${product}`);
      const path = `/clusters/${plane.name}/${prefix}/${kind.slice(0, at)}/${kind.slice(at + 1)}?labelSelector=${selector}`;
      return (await namesIn(fleet, path)).map(() => `${plane.options.clusterId} ${kind}`);
    });
  });
  return countBy((await Promise.all(keys)).flat());
}
