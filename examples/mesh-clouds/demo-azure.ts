import {
  startTestAzureServer,
  testSecret,
  testSubscription,
} from '../../domains/mesh/src/endpoints/clouds/azure/test-azure-server.ts';
import { createAzureSigner } from '../../domains/mesh/src/joins/test-documents.ts';
import { type DemoCloud, DemoMachines } from './demo-cloud.ts';

export async function startDemoAzure(): Promise<DemoCloud> {
  const server = await startTestAzureServer();
  const signer = await createAzureSigner();
  const machines = new DemoMachines('10.1.0');
  return {
    url: server.url,
    secret: { name: 'azure-key', entries: testSecret },
    settings: { azureIdentityAuthorities: [signer.authority] },
    set: async (name, state) => {
      machines.set(name, state);
      server.setMachines('books', machines.list('1'));
    },
    notify: async name => {
      const group = `/subscriptions/${testSubscription}/resourceGroups/mesh-rg/providers`;
      const subject = `${group}/Microsoft.Compute/virtualMachines/${name}`;
      const event = { id: '1', subject, eventType: 'Microsoft.Resources.ResourceWriteSuccess', data: {} };
      server.queue.send(Buffer.from(JSON.stringify(event)).toString('base64'));
    },
    readMetadata: async ({ url }) =>
      url.pathname === '/metadata/attested/document'
        ? JSON.stringify({ encoding: 'pkcs7', signature: await signer.document(url.searchParams.get('nonce') ?? '') })
        : undefined,
  };
}
