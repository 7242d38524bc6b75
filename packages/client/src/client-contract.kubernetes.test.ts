import { startTestLandscape } from '@chandlery/testing';
import { describeClientContract } from './client-contract.ts';
import type { OpenedClient } from './contract/test-world.ts';
import { createClient } from './http-client.ts';
import { loadKubeconfig } from './kubeconfig.ts';

/** The Kubernetes to try the client on; see `npm run test:kubernetes`. Without it, a logical cluster serves as one. */
const given = process.env['CHANDLERY_TEST_KUBECONFIG'] ?? '';

function openKubernetes(): Promise<OpenedClient> {
  const client = createClient(loadKubeconfig(given));
  return Promise.resolve({ client, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() });
}

async function openLogicalCluster(): Promise<OpenedClient> {
  const landscape = await startTestLandscape();
  const client = createClient(loadKubeconfig(landscape.kubeconfig, { context: 'onboarding' }));
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await landscape[Symbol.asyncDispose]();
    },
  };
}

if (given === '')
  describeClientContract('over HTTPS to a logical cluster', openLogicalCluster, { hasInitialEvents: true });
else describeClientContract('over HTTPS to a given Kubernetes', openKubernetes);
