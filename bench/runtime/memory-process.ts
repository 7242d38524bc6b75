// Measures what objects cost in this process and prints it as JSON. Started by memory.ts with a kubeconfig.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient, loadKubeconfig } from '@chandlery/client';
import { createController, createInformer, withoutManagedFields } from '@chandlery/runtime';
import { type Boat, boats, hoist } from './boats.ts';

/** KiB for each object. */
export interface MemoryResult {
  readonly plain: number;
  readonly watched: number;
  readonly lean: number;
  readonly controlled: number;
}

async function heapInUse(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await sleep(50);
  }
  return process.memoryUsage().heapUsed;
}

/** KiB for each object that `hold` creates and keeps until it is released. */
async function measure(hold: () => Promise<{ readonly count: number; letGo(): Promise<void> }>): Promise<number> {
  const before = await heapInUse();
  const held = await hold();
  const after = await heapInUse();
  const { count } = held;
  await held.letGo();
  return (after - before) / 1024 / count;
}

async function holdArray(client: Client) {
  const objects = await Array.fromAsync(client.listAll<Boat>(boats));
  return { count: objects.length, letGo: () => Promise.resolve(void objects.splice(0)) };
}

async function holdInformer(client: Client, more: { transform?: (boat: Boat) => Boat } = {}) {
  const informer = createInformer<Boat>({ client, ref: boats, ...more });
  informer.start();
  await informer.synced;
  return { count: informer.size, letGo: () => informer.stop() };
}

async function holdController(client: Client) {
  const informer = createInformer<Boat>({ client, ref: boats });
  const done = Promise.withResolvers<void>();
  let reconciles = 0;
  const count = (): 'continue' => {
    reconciles += 1;
    if (reconciles === informer.size) done.resolve();
    return 'continue';
  };
  const own = { ref: boats, informer };
  const controller = createController<Boat, object>({
    name: 'memory',
    client,
    for: own,
    steps: [hoist, count],
    needs: {},
    concurrency: 64,
  });
  controller.start();
  await done.promise;
  const letGo = async (): Promise<void> => {
    await controller.stop();
    await informer.stop();
  };
  return { count: informer.size, letGo };
}

await using client = createClient(loadKubeconfig(process.argv[2] ?? '', { context: 'onboarding' }));
// The first controller gives all objects a status; and what it leaves behind (code, connections) is not what they cost.
await measure(() => holdController(client));
await measure(() => holdArray(client));
const result: MemoryResult = {
  plain: await measure(() => holdArray(client)),
  watched: await measure(() => holdInformer(client)),
  lean: await measure(() => holdInformer(client, { transform: withoutManagedFields })),
  controlled: await measure(() => holdController(client)),
};
console.log(JSON.stringify(result));
