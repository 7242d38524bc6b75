import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseYamlDocuments } from '@chandlery/client';
import { eventually, tempFolder } from '@chandlery/testing';
import { defaultCatalog } from '../../domains/brokers/src/test-broker/default-catalog.ts';
import { startScriptedBroker } from '../../domains/brokers/src/test-broker/scripted-broker.ts';
import { personWith } from '../scenarios/provider-validation/support/people.ts';
import { Manager } from '../scenarios/two-platforms/support/manager.ts';
import { type PlatformLogin, startProxyProcess } from '../scenarios/two-platforms/support/proxies.ts';
import { startManagerLandscape } from '../scenarios/two-platforms/support/story-world.ts';
import { root } from './support/release.ts';

const manifest = join(root, 'deploy/proxy/proxy.yaml');
const namespace = ['-n', 'chandlery-proxy'] as const;

interface Deployed {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}

interface Container {
  readonly args: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: Readonly<Record<string, { readonly name: string; readonly key: string }>>;
  }[];
}

describe('The manifest of the broker proxy', () => {
  it('applies to a cluster, and its rights are enough for everything that the proxy does', async () => {
    await using landscape = await startManagerLandscape();
    await using folder = await tempFolder();
    await using broker = await startScriptedBroker({ catalog: defaultCatalog(), asyncPolls: 0 });
    const cluster = await landscape.createCluster('shore');
    const user = personWith(landscape.kubeconfig, 'shore');
    const manager = new Manager(landscape);
    const credentials = { basic: { username: 'admin', password: 'broker-password' } };
    await manager.post('/v1/service_brokers', { id: 'db', name: 'db', broker_url: broker.url, credentials });
    const made = await manager.post('/v1/platforms', { id: 'shore', name: 'shore', type: 'kubernetes' });
    const login = (made as unknown as { credentials: { basic: PlatformLogin } }).credentials.basic;
    const service_plan_id = await manager.planId('database', 'sync');
    await manager.post('/v1/visibilities', { id: 'opened', platform_id: 'shore', service_plan_id });

    // As the head of the manifest says.
    await user.run('create', 'namespace', 'chandlery-proxy');
    const literals = [`--from-literal=user=${login.username}`, `--from-literal=password=${login.password}`];
    await user.run(...namespace, 'create', 'secret', 'generic', 'chandlery-proxy', ...literals);
    const ca = `--from-file=${join(landscape.dataDir, 'ca.crt')}`;
    await user.run(...namespace, 'create', 'configmap', 'chandlery-proxy', `--from-literal=url=${landscape.url}`, ca);
    await user.run('apply', '-f', manifest);
    const text = await readFile(manifest, 'utf8');
    const deployment = (parseYamlDocuments(text, manifest) as unknown as Deployed[]).find(
      ({ kind }) => kind === 'Deployment',
    );
    const [container = assert.fail()] = deployment?.spec.template.spec.containers ?? [];
    for (const { valueFrom = {} } of container.env)
      for (const [kind, { name, key }] of Object.entries(valueFrom)) {
        const type = kind === 'secretKeyRef' ? 'secret' : 'configmap';
        const data = JSON.parse(await user.run(...namespace, 'get', type, name, '-o', 'jsonpath={.data}')) as object;
        assert.ok(key in data, `${type} ${name} has ${key}`);
      }

    // A logical cluster runs no pods: the program runs here, with the rights that it would have there.
    const token = (await user.run(...namespace, 'create', 'token', 'chandlery-proxy')).trim();
    const kubeconfig = folder.join('kubeconfig');
    const authority = Buffer.from(landscape.ca).toString('base64');
    await writeFile(
      kubeconfig,
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: cluster.url, 'certificate-authority-data': authority } }],
        users: [{ name: 'u', user: { token } }],
      }),
    );
    const own = container.args.filter(arg => !arg.startsWith('--host'));
    const flags = [...own, '--kubeconfig', kubeconfig, '--broker-poll-ms', '50', '--broker-retry-ms', '100'];
    const serviceManagerCa = join(landscape.dataDir, 'ca.crt');
    await using proxy = await startProxyProcess({ serviceManagerUrl: landscape.url, serviceManagerCa, login, flags });
    await user.run('create', 'namespace', 'app');
    await eventually(async () => (await user.run('get', 'serviceclasses', '-o', 'name')) !== '', { timeoutMs: 30_000 });
    const apiVersion = 'services.chandlery.io/v1alpha1';
    const metadata = { namespace: 'app' };
    await user.apply({
      ...{ apiVersion, kind: 'ServiceInstance', metadata: { ...metadata, name: 'db' } },
      spec: { offering: 'database', plan: 'sync' },
    });
    await user.apply({
      ...{ apiVersion, kind: 'ServiceBinding', metadata: { ...metadata, name: 'db-access' } },
      spec: { instance: 'db' },
    });
    await user.run('-n', 'app', 'wait', '--for=condition=Ready', 'servicebinding/db-access', '--timeout=60s');
    assert.match(await user.run('-n', 'app', 'get', 'secret', 'db-access', '-o', 'name'), /db-access/);
    await user.run('-n', 'app', 'delete', 'servicebinding/db-access', 'serviceinstance/db', '--timeout=60s');
    await proxy.stop();
    assert.doesNotMatch(proxy.output(), /[Ff]orbidden|cannot (get|list|watch|create|update|patch|delete)/);
  });
});
