import { toError } from '@chandlery/api';
import { inParallel } from '../http/in-parallel.ts';
import { brokerIdOfUrl, type NamingRules } from '../model/proxy-names.ts';
import type { PlatformAdapter, PlatformBroker } from '../ports.ts';

/** A registration that could not be removed from the platform. */
export interface RemainingBroker {
  readonly name: string;
  /** One sentence. */
  readonly why: string;
}

export interface Withdrawal {
  /** How many brokers of the proxy were registered when the withdrawal began. */
  readonly own: number;
  /** Names of the brokers whose deletion the platform has accepted. */
  readonly removed: readonly string[];
  readonly remaining: readonly RemainingBroker[];
}

export interface WithdrawDeps {
  readonly platform: PlatformAdapter;
  readonly naming: NamingRules;
  readonly maxParallelRequests: number;
}

/** A broker at the platform that this proxy has registered. */
interface OwnBroker {
  readonly broker: PlatformBroker;
  readonly brokerId: string;
}

/**
 * Deregisters every broker that the proxy has registered at the platform, and nothing else. A broker in use stays and
 * is reported. `prepare` is called with the brokers first. May be called again.
 */
export async function withdrawBrokers(
  deps: WithdrawDeps,
  prepare: (brokers: readonly PlatformBroker[]) => Promise<void> = async () => undefined,
): Promise<Withdrawal> {
  const own = await listOwnBrokers(deps);
  await prepare(own.map(({ broker }) => broker));
  const results = await inParallel(own, deps.maxParallelRequests, each => withdrawOne(deps.platform, each));
  const remaining = results.flatMap((result, at): RemainingBroker[] => {
    if (result.status === 'fulfilled') return [];
    return [{ name: own[at]?.broker.name ?? '', why: toError(result.reason).message }];
  });
  const failed = new Set(remaining.map(({ name }) => name));
  return {
    own: own.length,
    removed: own.map(({ broker }) => broker.name).filter(name => !failed.has(name)),
    remaining,
  };
}

async function listOwnBrokers({ platform, naming }: WithdrawDeps): Promise<OwnBroker[]> {
  const brokers = await platform.listBrokers();
  return brokers.flatMap(broker => {
    const brokerId = brokerIdOfUrl(naming, broker.url);
    return brokerId === undefined ? [] : [{ broker, brokerId }];
  });
}

async function withdrawOne(platform: PlatformAdapter, { broker, brokerId }: OwnBroker): Promise<void> {
  const users = await platform.listUsers(broker);
  if (users.length > 0) throw new Error(inUse(users));
  await platform.deleteBroker(broker, brokerId);
}

const shownUsers = 5;

function inUse(users: readonly string[]): string {
  const names = [...users].sort();
  const more = names.length > shownUsers ? ` and ${names.length - shownUsers} more` : '';
  return `in use by ${names.slice(0, shownUsers).join(', ')}${more}`;
}
