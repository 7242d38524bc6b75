import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { createClient, loadKubeconfig } from '@chandlery/client';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { startLandscape } from '@chandlery/server';
import { eventually, kubectlPath, startProcess, tempFolder } from '@chandlery/testing';

const program = join(import.meta.dirname, 'publish-inventory.mjs');

test('an inventory that publishes EndpointSets by kubectl is in the mesh, until it stops', async () => {
  await using folder = await tempFolder();
  const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`, '--local-clusters=off'];
  await using landscape = await startLandscape(loadServerConfig({ argv, env: {} }).values, { logger: silentLogger });
  await using client = createClient(loadKubeconfig(landscape.kubeconfigPath));
  const spec = { ports: [{ port: 80 }] };
  const service: KubeObject = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'books' }, spec };
  await client.create({ group: '', version: 'v1', plural: 'services', namespace: 'default' }, service);
  const write = (...hosts: object[]) =>
    writeFile(folder.join('inventory.json'), JSON.stringify({ books: { serviceAccount: 'books', port: 8080, hosts } }));
  const shows = (wanted: string) =>
    eventually(
      async () => {
        const path = '/mesh/v1/meshes/onboarding/services/default/books/endpoints';
        const response = await client.raw(path, { isFromRoot: true });
        const { endpoints } = (await response.json()) as { endpoints: { ip: string; health: string }[] };
        return endpoints.map(({ ip, health }) => `${ip} ${health}`).join() === wanted;
      },
      { what: wanted || 'no endpoint' },
    );
  await write({ ip: '10.0.0.7' }, { ip: '10.0.0.8', state: 'draining' });
  const PATH = `${dirname(await kubectlPath())}:${process.env['PATH']}`;
  const env = { KUBECONFIG: landscape.kubeconfigPath, PATH };
  {
    await using _publisher = await startProcess(process.execPath, [program, folder.join('inventory.json'), '0.5'], {
      env,
    });
    await shows('10.0.0.7 healthy,10.0.0.8 draining');
    await write({ ip: '10.0.0.9' });
    await shows('10.0.0.9 healthy');
  }
  await shows('');
});
