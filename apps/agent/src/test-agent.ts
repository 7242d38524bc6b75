import type { KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { createProcessNode, startWorkloads } from '@chandlery/clusters';
import { silentLogger } from '@chandlery/platform';
import { startTestPlane, tempFolder } from '@chandlery/testing';
import { type KindResolver, parseKindId } from './cluster/kind-resolver.ts';
import { ControlPlane } from './control-plane/control-plane.ts';
import type { Program } from './model/program.ts';
import { type AgentOptions, type RunningAgent, startAgent } from './start-agent.ts';
import { TestControlPlane, type TestControlPlaneOptions } from './test-control-plane.ts';

/** A local cluster that runs processes, a control plane, and agents that may be started and stopped. */
export interface TestWorld extends AsyncDisposable {
  readonly client: Client;
  readonly controlPlane: TestControlPlane;
  startAgent(options?: Partial<AgentOptions>): Promise<RunningAgent>;
}

/** Kinds of the tests have regular plurals. */
export const resolveTestKind: KindResolver = async id => {
  const { group, version, kind } = parseKindId(id);
  return { group, version, plural: `${kind.toLowerCase()}s` };
};

const quick = { initialMs: 20, maxMs: 100, resetMs: 60_000 };

/** Starts a world without an agent. Images are mapped to commands of this machine. */
export async function startTestWorld(
  options: TestControlPlaneOptions & { readonly images?: Record<string, { command: string[] }> } = {},
): Promise<TestWorld> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane());
  const folder = stack.use(await tempFolder());
  const limits = { backOff: quick, disposeGraceSeconds: 0 };
  const node = stack.use(createProcessNode({ folder: folder.path, limits, images: options.images ?? {} }));
  const { client } = plane;
  stack.use(startWorkloads({ client, node, clusterName: 'onboarding', stopGraceSeconds: 0 }));
  const controlPlane = stack.use(await new TestControlPlane(options).start());
  const agents = stack.use(new AsyncDisposableStack());
  const all = stack.move();
  return {
    client,
    controlPlane,
    startAgent: async (changes = {}) =>
      agents.use(await startAgent({ ...agentOptions(client, controlPlane, agents), ...changes })),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const agentOptions = (client: Client, { url }: TestControlPlane, stack: AsyncDisposableStack): AgentOptions => ({
  product: 'dinosaurs',
  clusterId: 'c1',
  client,
  resolveKind: resolveTestKind,
  controlPlane: stack.use(new ControlPlane({ url, product: 'dinosaurs', clusterId: 'c1', token: 'x' })),
  router: { host: '127.0.0.1', port: 0 },
  logger: silentLogger,
});

/** Everything of a kind in an instance's namespace. */
export const objectsIn = async (client: Client, ref: ResourceRef, id: string): Promise<readonly KubeObject[]> =>
  (await client.list({ ...ref, namespace: `dinosaur-${id}` })).items;

/** A program whose instances are one process that sleeps; the version is in its command. */
export const sleepProgram: Program = {
  operatorVersions: [{ version: '1.0.0-1', productVersions: ['1.0.0', '2.0.0'] }],
  objects: [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'tls' }, stringData: { key: '{{ tls.key }}' } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'main' },
      spec: {
        replicas: 1,
        progressDeadlineSeconds: 2,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: { app: 'main' } },
        template: {
          metadata: { labels: { app: 'main' } },
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [
              {
                name: 'main',
                image: 'none',
                command: ['sh', '-c', 'exec sleep {{ versions.product }}'],
                readinessProbe: { exec: { command: ['test', '{{ versions.product }}', '-gt', '0'] }, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    },
  ],
};
