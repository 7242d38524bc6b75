import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { defaultCatalog } from '../../../../domains/brokers/src/test-broker/default-catalog.ts';
import {
  type ScriptedBroker,
  startScriptedBroker,
} from '../../../../domains/brokers/src/test-broker/scripted-broker.ts';
import { type SeedOptions, seedLandscape } from './seed-landscape.ts';

/** A platform and how it shows who it is. */
export interface SeededPlatform {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The real server on a store with many instances. */
export interface ManyInstances extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly broker: ScriptedBroker;
  readonly brokerId: string;
  readonly platforms: readonly SeededPlatform[];
  readonly planIds: readonly string[];
}

/** How many of what. */
export interface ManyOptions extends Pick<SeedOptions, 'instances' | 'bindingEvery'> {
  readonly platforms: number;
  /** Whether the broker keeps what it is asked. Default false. */
  readonly isRecording?: boolean;
  /** Default: a temporary folder. */
  readonly dataDir?: string;
}

/** A start reads all rows; on a busy machine that takes a while. */
const readyTimeoutMs = 300_000;

/** Registers a broker and platforms, fills the store behind the server's back, and starts the server again. */
export async function startManyInstances(options: ManyOptions): Promise<ManyInstances> {
  const { platforms: count, dataDir, isRecording = false, ...seed } = options;
  await using stack = new AsyncDisposableStack();
  const broker = stack.use(await startScriptedBroker({ catalog: defaultCatalog(), isRecording }));
  const landscape = stack.use(
    await startTestLandscape({ readyTimeoutMs, ...(dataDir === undefined ? {} : { dataDir }) }),
  );
  const credentials = { basic: { username: 'admin', password: 'broker-password' } };
  const brokerId = await idOf(landscape, '/v1/service_brokers', { name: 'many', broker_url: broker.url, credentials });
  const planIds = await openPlans(landscape);
  const platforms: SeededPlatform[] = [];
  for (let index = 0; index < count; index++) platforms.push(await createPlatform(landscape, `platform-${index}`));
  await landscape.stop();
  await seedLandscape(landscape.dataDir, { ...seed, planIds, platformIds: platforms.map(({ id }) => id) });
  await landscape.restart();
  const all = stack.move();
  return { landscape, broker, brokerId, platforms, planIds, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function idOf(landscape: TestLandscape, path: string, body: object): Promise<string> {
  return (await created<{ id: string }>(landscape, path, body)).id;
}

async function created<T>(landscape: TestLandscape, path: string, body: object): Promise<T> {
  const answer = await landscape.request(path, { body });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
  return answer.json<T>();
}

/** Makes the synchronous plans public. */
async function openPlans(landscape: TestLandscape): Promise<string[]> {
  const query = encodeURIComponent("catalog_id in ('database-sync','queue-sync')");
  const answer = await landscape.request(`/v1/service_plans?fieldQuery=${query}`);
  const { items } = answer.json<{ items: { id: string }[] }>();
  for (const { id } of items) await created(landscape, '/v1/visibilities', { service_plan_id: id });
  return items.map(({ id }) => id);
}

async function createPlatform(landscape: TestLandscape, name: string): Promise<SeededPlatform> {
  const body = { name, type: 'kubernetes' };
  const { id, credentials } = await created<{
    id: string;
    credentials: { basic: { username: string; password: string } };
  }>(landscape, '/v1/platforms', body);
  const { username, password } = credentials.basic;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return { id, headers: { authorization, 'x-broker-api-version': '2.17' } };
}
