import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { type TempFolder, tempFolder } from '@chandlery/testing';
import { checkImports } from './check-imports.ts';

const packages = [
  'packages/api',
  'packages/platform',
  'packages/kernel',
  'packages/client',
  'packages/registry',
  'packages/workflow',
  'packages/testing',
  'apps/server',
];

/** A tree with empty packages, some libraries and the given files. */
async function makeTree(files: Readonly<Record<string, string>>): Promise<TempFolder> {
  const folder = await tempFolder();
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(folder.join(path)), { recursive: true });
    await writeFile(folder.join(path), text);
  };
  await mkdir(folder.join('node_modules/@chandlery'), { recursive: true });
  for (const path of packages) {
    const name = `@chandlery/${path.split('/')[1] ?? ''}`;
    await write(`${path}/package.json`, JSON.stringify({ name, type: 'module', exports: { '.': './src/index.ts' } }));
    await write(`${path}/src/index.ts`, 'export const here = 1;');
    await symlink(folder.join(path), folder.join('node_modules', name));
  }
  for (const library of ['pg', 'fastify', 'protobufjs', '@grpc/grpc-js', '@aws-sdk/xml-builder']) {
    await write(`node_modules/${library}/package.json`, JSON.stringify({ name: library, main: 'index.js' }));
    await write(`node_modules/${library}/index.js`, '');
  }
  for (const [path, text] of Object.entries(files)) await write(path, text);
  return folder;
}

const topologyRule = 'mesh-topology-imports';
const endpointsRule = 'mesh-endpoints-imports';
const cloudsRule = 'mesh-clouds-imports';

/** Files of the mesh that others import. */
const meshFiles = [
  'endpoints/table',
  'kinds/smi/split',
  'model/endpoint',
  'model/mesh-service',
  'model/topology',
  'controllers/cloud-accounts/events',
  'ports',
  'ports/endpoints',
  'ports/machine-events',
  'ports/mesh-topology',
  'resources/listener',
];

const cases: readonly {
  readonly from: string;
  readonly imports: string;
  readonly isTypeOnly?: boolean;
  /** Whether it is imported when it is used. */
  readonly isLate?: boolean;
  readonly breaks?: string;
}[] = [
  { from: 'packages/kernel/src/x.ts', imports: '@chandlery/api' },
  { from: 'packages/api/src/x.ts', imports: '@chandlery/platform', breaks: 'api-imports' },
  { from: 'packages/kernel/src/x.ts', imports: '@chandlery/client', breaks: 'kernel-types' },
  { from: 'packages/kernel/src/x.ts', imports: '@chandlery/client', isTypeOnly: true },
  { from: 'packages/kernel/src/x.ts', imports: '@chandlery/server', isTypeOnly: true, breaks: 'kernel-imports' },
  { from: 'packages/kernel/src/x.test.ts', imports: '@chandlery/client' },
  { from: 'packages/registry/src/x.ts', imports: '@chandlery/client', breaks: 'registry-types' },
  { from: 'packages/registry/src/x.ts', imports: '@chandlery/kernel', isTypeOnly: true, breaks: 'registry-imports' },
  { from: 'domains/fleet/src/x.ts', imports: '@chandlery/registry' },
  { from: 'packages/workflow/src/x.ts', imports: '@chandlery/platform' },
  { from: 'packages/workflow/src/x.ts', imports: '@chandlery/client', isTypeOnly: true, breaks: 'workflow-imports' },
  { from: 'domains/orders/src/x.ts', imports: '@chandlery/workflow' },
  { from: 'packages/kernel/src/x.ts', imports: '@chandlery/registry', breaks: 'kernel-imports' },
  { from: 'packages/kernel/src/x.ts', imports: '../../platform/src/deep.ts', breaks: 'front-doors' },
  { from: 'apps/cli/src/x.ts', imports: '@chandlery/kernel', breaks: 'cli-imports' },
  { from: 'apps/cli/src/x.ts', imports: '@chandlery/server' },
  { from: 'apps/server/src/x.ts', imports: '@chandlery/kernel' },
  { from: 'domains/fleet/src/x.ts', imports: '@chandlery/kernel', breaks: 'domains-imports' },
  { from: 'domains/fleet/src/x.ts', imports: '../../mesh/src/model/index.ts', breaks: 'domains-apart' },
  { from: 'domains/fleet/src/x.ts', imports: '../../mesh/src/kinds/index.ts' },
  { from: 'domains/fleet/src/facade/routes/x.ts', imports: '../middleware/layer.ts' },
  { from: 'domains/fleet/src/facade/middleware/x.ts', imports: '../handlers/layer.ts' },
  { from: 'domains/fleet/src/facade/handlers/x.ts', imports: '../../actions/layer.ts' },
  { from: 'domains/fleet/src/actions/x.ts', imports: '../registry/layer.ts' },
  {
    from: 'domains/fleet/src/facade/middleware/x.ts',
    imports: '../routes/layer.ts',
    breaks: 'fleet-facade-middleware-layer',
  },
  {
    from: 'domains/fleet/src/facade/handlers/x.ts',
    imports: '../middleware/layer.ts',
    isTypeOnly: true,
    breaks: 'fleet-facade-handlers-layer',
  },
  {
    from: 'domains/fleet/src/actions/x.ts',
    imports: '../facade/handlers/layer.ts',
    breaks: 'fleet-actions-layer',
  },
  { from: 'domains/fleet/src/registry/x.ts', imports: '../actions/layer.ts', breaks: 'fleet-registry-layer' },
  { from: 'domains/fleet/src/model/x.ts', imports: '../registry/layer.ts', breaks: 'fleet-model-layer' },
  { from: 'domains/brokers/src/model/osb/x.ts', imports: '../../kinds/room.ts' },
  { from: 'domains/brokers/src/model/osb/x.ts', imports: '../../errors.ts' },
  {
    from: 'domains/brokers/src/model/osb/x.ts',
    imports: '../../registry/room.ts',
    isTypeOnly: true,
    breaks: 'brokers-model-room',
  },
  {
    from: 'domains/brokers/src/model/osb/x.ts',
    imports: '../../ports.ts',
    isTypeOnly: true,
    breaks: 'brokers-model-room',
  },
  { from: 'domains/brokers/src/facade/osb/x.ts', imports: '../../ports.ts' },
  { from: 'domains/brokers/src/facade/osb/x.ts', imports: '../../adapters/room.ts', breaks: 'brokers-facade-room' },
  { from: 'domains/brokers/src/facade/osb/x.test.ts', imports: '../../adapters/room.ts' },
  { from: 'domains/brokers/src/controllers/x.ts', imports: '../adapters/room.ts', breaks: 'brokers-controllers-room' },
  { from: 'domains/brokers/src/controllers/x.ts', imports: '../facade/room.ts', breaks: 'brokers-controllers-room' },
  { from: 'domains/brokers/src/adapters/x.ts', imports: '../controllers/room.ts', breaks: 'brokers-adapters-room' },
  { from: 'domains/clusters/src/controllers/x.ts', imports: '../ports.ts' },
  {
    from: 'domains/clusters/src/controllers/x.ts',
    imports: '../adapters/room.ts',
    breaks: 'clusters-controllers-room',
  },
  {
    from: 'domains/clusters/src/model/pods/x.ts',
    imports: '../../ports.ts',
    isTypeOnly: true,
    breaks: 'clusters-model-room',
  },
  { from: 'domains/clusters/src/adapters/x.ts', imports: '../controllers/room.ts', breaks: 'clusters-adapters-room' },
  { from: 'domains/providers/src/controllers/x.ts', imports: '../ports.ts' },
  {
    from: 'domains/providers/src/controllers/x.ts',
    imports: '../adapters/room.ts',
    isTypeOnly: true,
    breaks: 'providers-controllers-room',
  },
  { from: 'domains/providers/src/facade/x.ts', imports: '../controllers/room.ts', breaks: 'providers-facade-room' },
  { from: 'domains/providers/src/admission/x.ts', imports: '../ports.ts', breaks: 'providers-admission-room' },
  { from: 'domains/fleet/src/controllers/x.ts', imports: '../actions/room.ts' },
  { from: 'domains/fleet/src/controllers/x.ts', imports: '../facade/room.ts', breaks: 'fleet-controllers-room' },
  { from: 'domains/fleet/src/controllers/x.ts', imports: '../adapters/room.ts', breaks: 'fleet-controllers-room' },
  {
    from: 'domains/fleet/src/adapters/x.ts',
    imports: '../controllers/room.ts',
    isTypeOnly: true,
    breaks: 'fleet-adapters-room',
  },
  { from: 'domains/fleet/src/model/x.ts', imports: '../ports.ts', isTypeOnly: true, breaks: 'fleet-model-room' },
  { from: 'domains/orders/src/controllers/x.ts', imports: '../ports.ts' },
  { from: 'domains/orders/src/controllers/x.ts', imports: '../adapters/room.ts', breaks: 'orders-controllers-room' },
  { from: 'domains/orders/src/adapters/x.ts', imports: '../controllers/room.ts', breaks: 'orders-adapters-room' },
  { from: 'domains/orders/src/adapters/x.ts', imports: '../facade/room.ts', breaks: 'orders-adapters-room' },
  { from: 'domains/orders/src/model/x.ts', imports: '../ports.ts', isTypeOnly: true, breaks: 'orders-model-room' },
  { from: 'packages/kernel/src/store/postgres/x.ts', imports: 'pg' },
  { from: 'packages/kernel/src/x.ts', imports: 'pg', breaks: 'pg-home' },
  { from: 'packages/kernel/src/x.ts', imports: 'node:sqlite', breaks: 'node:sqlite-home' },
  { from: 'packages/platform/src/process/x.ts', imports: 'node:sqlite' },
  { from: 'packages/kernel/src/x.ts', imports: 'fastify', breaks: 'fastify-home' },
  { from: 'domains/fleet/src/facade/x.ts', imports: 'fastify' },
  { from: 'packages/kernel/src/x.ts', imports: '@chandlery/testing', breaks: 'no-testing-in-product' },
  { from: 'packages/kernel/src/x.test.ts', imports: '@chandlery/testing' },
  { from: 'packages/kernel/src/x.ts', imports: './test-objects.ts', breaks: 'no-testing-in-product' },
  { from: 'packages/kernel/src/x.test.ts', imports: './test-objects.ts' },
  { from: 'packages/kernel/src/x.ts', imports: './nowhere.ts', breaks: 'resolvable' },
  { from: 'domains/mesh/src/topology/x.ts', imports: '../kinds/smi/split.ts' },
  { from: 'domains/mesh/src/topology/x.ts', imports: '../model/topology.ts', isTypeOnly: true },
  { from: 'domains/mesh/src/topology/x.ts', imports: '../ports/mesh-topology.ts', isTypeOnly: true },
  { from: 'domains/mesh/src/topology/x.ts', imports: '../model/endpoint.ts', isTypeOnly: true, breaks: topologyRule },
  { from: 'domains/mesh/src/topology/x.ts', imports: '../model/mesh-service.ts', breaks: topologyRule },
  { from: 'domains/mesh/src/topology/x.ts', imports: '../endpoints/table.ts', breaks: topologyRule },
  { from: 'domains/mesh/src/topology/x.ts', imports: '../ports/endpoints.ts', isTypeOnly: true, breaks: topologyRule },
  { from: 'domains/mesh/src/topology/x.ts', imports: '../ports.ts', isTypeOnly: true, breaks: topologyRule },
  { from: 'domains/mesh/src/topology/x.ts', imports: '../resources/listener.ts', breaks: topologyRule },
  { from: 'domains/mesh/src/topology/x.ts', imports: 'protobufjs', breaks: 'protobufjs-home' },
  { from: 'domains/mesh/src/topology/x.test.ts', imports: '../model/endpoint.ts' },
  { from: 'domains/mesh/src/model/topology.ts', imports: './endpoint.ts', isTypeOnly: true, breaks: topologyRule },
  { from: 'domains/mesh/src/ports/mesh-topology.ts', imports: './endpoints.ts', breaks: topologyRule },
  { from: 'domains/mesh/src/endpoints/cloud/x.ts', imports: '../../model/endpoint.ts', isTypeOnly: true },
  { from: 'domains/mesh/src/endpoints/cloud/x.ts', imports: '../../ports/endpoints.ts', isTypeOnly: true },
  { from: 'domains/mesh/src/endpoints/cloud/x.ts', imports: '../../kinds/smi/split.ts', breaks: endpointsRule },
  {
    from: 'domains/mesh/src/endpoints/cloud/x.ts',
    imports: '../../model/topology.ts',
    isTypeOnly: true,
    breaks: endpointsRule,
  },
  { from: 'domains/mesh/src/endpoints/cloud/x.ts', imports: '../../resources/listener.ts', breaks: endpointsRule },
  { from: 'domains/mesh/src/endpoints/cloud/x.ts', imports: '../../ports.ts', isTypeOnly: true, breaks: endpointsRule },
  { from: 'domains/mesh/src/endpoints/cloud/x.ts', imports: '@grpc/grpc-js', breaks: '@grpc-home' },
  {
    from: 'domains/mesh/src/endpoints/clouds/azure/storage-queue-events.ts',
    imports: '../../../ports/machine-events.ts',
    isTypeOnly: true,
  },
  {
    from: 'domains/mesh/src/endpoints/clouds/azure/storage-queue-events.ts',
    imports: '../../../resources/listener.ts',
    breaks: endpointsRule,
  },
  {
    from: 'domains/mesh/src/endpoints/clouds/event-message.ts',
    imports: '../../kinds/smi/split.ts',
    breaks: endpointsRule,
  },
  {
    from: 'domains/mesh/src/endpoints/clouds/aws/sqs-events.ts',
    imports: '../../../controllers/cloud-accounts/events.ts',
    breaks: endpointsRule,
  },
  {
    from: 'domains/mesh/src/ports/machine-events.ts',
    imports: '../model/topology.ts',
    isTypeOnly: true,
    breaks: endpointsRule,
  },
  { from: 'domains/mesh/src/ports/machine-events.ts', imports: './mesh-topology.ts', breaks: endpointsRule },
  {
    from: 'domains/mesh/src/endpoints/clouds/azure/storage-queue-events.ts',
    imports: '@aws-sdk/xml-builder',
    breaks: '@aws-sdk-home',
  },
  { from: 'domains/mesh/src/endpoints/clouds/xml/cloud-xml.ts', imports: '@aws-sdk/xml-builder', isLate: true },
  {
    from: 'domains/mesh/src/endpoints/clouds/xml/cloud-xml.ts',
    imports: '@aws-sdk/xml-builder',
    breaks: 'mesh-clouds-when-used',
  },
  ...['azure/azure-reader', 'aws/aws-reader', 'google/google-reader', 'cloud-http'].flatMap(file => [
    {
      from: `domains/mesh/src/endpoints/clouds/${file}.ts`,
      imports: `${'../'.repeat(file.split('/').length + 1)}kinds/smi/split.ts`,
      breaks: endpointsRule,
    },
    {
      from: `domains/mesh/src/endpoints/clouds/${file}.ts`,
      imports: `${'../'.repeat(file.split('/').length + 1)}resources/listener.ts`,
      isTypeOnly: true,
      breaks: endpointsRule,
    },
  ]),
  { from: 'domains/mesh/src/controllers/cloud-accounts/x.ts', imports: '../../ports/machine-events.ts' },
  { from: 'domains/mesh/src/controllers/cloud-resources/x.ts', imports: '../cloud-accounts/events.ts' },
  { from: 'domains/mesh/src/controllers/cloud-accounts/x.ts', imports: '../../kinds/smi/split.ts', breaks: cloudsRule },
  { from: 'domains/mesh/src/controllers/cloud-resources/x.ts', imports: '../../model/topology.ts', breaks: cloudsRule },
  {
    from: 'domains/mesh/src/controllers/cloud-resources/x.ts',
    imports: '../../resources/listener.ts',
    isTypeOnly: true,
    breaks: cloudsRule,
  },
  {
    from: 'domains/mesh/src/endpoints/clouds/x.ts',
    imports: '../../controllers/cloud-accounts/events.ts',
    breaks: endpointsRule,
  },
  { from: 'domains/mesh/src/model/clouds/x.ts', imports: '../endpoint.ts', isTypeOnly: true },
  { from: 'domains/mesh/src/model/clouds/x.ts', imports: '../topology.ts', isTypeOnly: true, breaks: endpointsRule },
  { from: 'domains/mesh/src/kinds/clouds/x.ts', imports: '../smi/split.ts', breaks: endpointsRule },
  {
    from: 'domains/mesh/src/ports/endpoints.ts',
    imports: '../model/topology.ts',
    isTypeOnly: true,
    breaks: endpointsRule,
  },
  { from: 'domains/mesh/src/resources/x.ts', imports: 'protobufjs' },
];

/** Files of the domains whose rooms are checked. */
const roomFiles = ['clusters', 'providers', 'fleet', 'orders', 'brokers'].flatMap(domain =>
  [
    'ports',
    'errors',
    ...['actions', 'adapters', 'controllers', 'facade', 'kinds', 'registry'].map(room => `${room}/room`),
  ].map(file => `domains/${domain}/src/${file}.ts`),
);

const fleetLayers = ['facade/routes', 'facade/middleware', 'facade/handlers', 'actions', 'registry'];

for (const { from, imports, isTypeOnly, isLate, breaks } of cases) {
  const form = isTypeOnly ? 'import type' : 'import';
  test(`${from} ${breaks === undefined ? 'may' : 'may not'} ${form} ${imports}${isLate ? ' late' : ''}`, async () => {
    await using tree = await makeTree({
      'packages/kernel/src/test-objects.ts': 'export const objects = 1;',
      'packages/platform/src/deep.ts': 'export const deep = 1;',
      'domains/mesh/src/model/index.ts': 'export const model = 1;',
      'domains/mesh/src/kinds/index.ts': 'export const kinds = 1;',
      ...Object.fromEntries(roomFiles.map(file => [file, 'export const room = 1;'])),
      ...Object.fromEntries(fleetLayers.map(path => [`domains/fleet/src/${path}/layer.ts`, 'export const layer = 1;'])),
      ...Object.fromEntries(meshFiles.map(file => [`domains/mesh/src/${file}.ts`, 'export const it = 1;'])),
      [from]: isLate
        ? `export const thing = async () => await import('${imports}');`
        : `${form} * as thing from '${imports}';\nexport type { thing };`,
    });
    const { problems } = await checkImports(tree.path, 1);
    if (breaks === undefined) assert.deepEqual(problems, []);
    else
      assert.ok(
        problems.some(problem => problem.includes(`${breaks}:`)),
        `expected ${breaks} among ${problems.join('\n')}`,
      );
  });
}

test('modules that import each other are a problem', async () => {
  await using tree = await makeTree({
    'packages/kernel/src/x.ts': "import { y } from './y.ts';\nexport const x = () => y;",
    'packages/kernel/src/y.ts': "import { x } from './x.ts';\nexport const y = () => x;",
  });
  const { problems } = await checkImports(tree.path, 1);
  assert.match(problems.join('\n'), /no-circles/);
});

test('seeing hardly any module is a problem of the check itself', async () => {
  await using tree = await makeTree({});
  const { problems } = await checkImports(tree.path, 30);
  assert.ok(problems.join('\n').includes(`only ${packages.length} modules were seen`), problems.join('\n'));
});
