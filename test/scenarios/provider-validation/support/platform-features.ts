import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Has a scaffolded provider observe a service that exists under a name and chooses a region by itself. */
export async function addPlatformFeatures(folder: string): Promise<void> {
  await replace(
    join(folder, 'kinds.ts'),
    "greeting: Type.String({ default: 'Hello'",
    region => `region: Type.Optional(Type.String()),\n    ${region}`,
  );
  await replace(join(folder, 'provider.ts'), 'service: { desired },', () => observing);
}

const observing = `lateInitialized: ['region'],
  service: {
    desired,
    observe: async (_, { externalName }) => ({
      exists: true,
      differences: [],
      isReady: true,
      connection: { account: externalName },
      chosen: { region: 'eu-1' },
    }),
    createOrUpdate: async () => undefined,
  },`;

/** Has a scaffolded provider run one process for all tenants together, on the workload cluster that they share. */
export async function addSharedService(folder: string, name: string): Promise<void> {
  const provider = join(folder, 'provider.ts');
  await replace(provider, 'workload: {', workload => `${workload}\n      per: 'provider',`);
  await replace(provider, 'service: { desired },', service => `shared: () => shared,\n  ${service}`);
  await replace(provider, 'const onControlPlane =', text => `${sharedObjects(name)}\n${text}`);
  await writeFile(join(folder, 'shared-service.ts'), 'setInterval(() => undefined, 60_000);\n');
  const image = {
    apiVersion: 'clusters.chandlery.io/v1alpha1',
    kind: 'HostImage',
    metadata: { name: `${name}-shared` },
    spec: { image: `example.com/${name}-shared`, folder, command: ['node', './shared-service.ts'] },
  };
  const installation = join(folder, 'install.yaml');
  await writeFile(installation, `${await readFile(installation, 'utf8')}---\n${JSON.stringify(image)}\n`);
}

const sharedObjects = (name: string): string => `const labels = { app: '${name}-shared' };
const shared: readonly Desired[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: '${name}-shared' } },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shared', namespace: '${name}-shared' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'shared', image: 'example.com/${name}-shared:v1' }] },
      },
    },
  },
].map(object => ({ cluster: 'workload' as const, object }));
`;

async function replace(file: string, text: string, change: (text: string) => string): Promise<void> {
  const before = await readFile(file, 'utf8');
  assert.ok(before.includes(text), `${text} is not in ${file}`);
  await writeFile(file, before.replace(text, change(text)));
}
