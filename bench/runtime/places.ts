import { join } from 'node:path';
import { type Client, createClient, loadKubeconfig } from '@chandlery/client';
import { startTestPlane } from '@chandlery/testing';
import { startServer } from '../kernel/server.ts';

/** Where boats are. */
export interface Place extends AsyncDisposable {
  readonly name: 'in process' | 'over HTTPS';
  readonly client: Client;
  /** Empty in process. */
  readonly kubeconfig: string;
}

/** A kernel in this process, on a folder of its own. */
export async function openPlane(): Promise<Place> {
  const plane = await startTestPlane();
  return {
    name: 'in process',
    client: plane.client,
    kubeconfig: '',
    [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
  };
}

/** The real server in a process of its own, reached as users do. */
export async function openServer(dataDir: string): Promise<Place> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startServer(dataDir));
  const kubeconfig = join(server.dataDir, 'admin.kubeconfig');
  const client = stack.use(createClient(loadKubeconfig(kubeconfig, { context: 'onboarding' })));
  const all = stack.move();
  return { name: 'over HTTPS', client, kubeconfig, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Calls with each kind of place in turn. */
export async function atEachPlace<T>(folder: string, call: (place: Place) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (const open of [openPlane, () => openServer(join(folder, `server-${performance.now()}`))]) {
    await using place = await open();
    found.push(await call(place));
  }
  return found;
}
