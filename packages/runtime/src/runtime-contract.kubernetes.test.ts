import { createClient, loadKubeconfig } from '@chandlery/client';
import { startTestLandscape } from '@chandlery/testing';
import type { OpenedClient } from './contract/test-world.ts';
import { describeRuntimeContract } from './runtime-contract.ts';

/** The Kubernetes to try the runtime on; see `npm run test:kubernetes`. Without it, a logical cluster serves as one. */
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

if (given === '') describeRuntimeContract('over HTTPS to a logical cluster', openLogicalCluster);
else describeRuntimeContract('over HTTPS to a given Kubernetes', openKubernetes);
