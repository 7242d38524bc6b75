import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import type { KubeConfig } from '@kubernetes/client-node';
import { accountConfig, adminConfig } from './kubeconfigs.ts';

/** The caller of the tests that hold for all clients. */
export const callers = ['admin', 'service account'] as const;

export interface TwoClients extends AsyncDisposable {
  readonly landscape: TestLandscape;
  /** Each has a logical cluster of its own. */
  readonly configs: Readonly<Record<(typeof callers)[number], KubeConfig>>;
}

/** Starts a landscape with an administrator and a service account as its clients. */
export async function startTwoClients(): Promise<TwoClients> {
  await using stack = new AsyncDisposableStack();
  const landscape = stack.use(await startTestLandscape());
  for (const name of ['by-admin', 'by-account']) await landscape.createCluster(name);
  const configs = {
    admin: adminConfig(landscape, 'by-admin'),
    'service account': await accountConfig(landscape, 'by-account', 'robot'),
  };
  const kept = stack.move();
  return { landscape, configs, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
