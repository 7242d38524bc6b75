import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import { eventually, startTestPlane, type TestPlane, tempFolder } from '@chandlery/testing';
import { createProcessNode, type ProcessNodeOptions } from '../../adapters/process-node/process-node.ts';
import type { Container } from '../../model/pods/pod.ts';
import type { Deployment, Job, PodObject, PodTemplate } from '../../model/workloads/objects.ts';
import type { PodNode } from '../../ports.ts';
import { refs } from './refs.ts';
import { startWorkloads, type WorkloadsOptions } from './start-workloads.ts';

/** A local cluster: an API, its controllers, and a node that runs processes. */
export interface TestCluster extends AsyncDisposable {
  readonly plane: TestPlane;
  readonly client: Client;
  readonly node: PodNode;
  readonly folder: string;
}

const quick = { initialMs: 20, maxMs: 100, resetMs: 60_000 };

/** A node in a folder of its own, with short timeouts. */
export async function startTestNode(
  options: Partial<ProcessNodeOptions> = {},
): Promise<{ readonly node: PodNode; readonly folder: string } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const limits = { backOff: quick, disposeGraceSeconds: 0 };
  const node = stack.use(createProcessNode({ folder: folder.path, limits, nodeName: 'laptop', ...options }));
  const all = stack.move();
  return { node, folder: folder.path, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

export const jobBackOff = { initialMs: 20, maxMs: 100 };

/** Starts a cluster: `await using cluster = await startTestCluster()`. */
export async function startTestCluster(options: Partial<WorkloadsOptions> = {}): Promise<TestCluster> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane());
  const { node, folder } = stack.use(await startTestNode());
  const { client } = plane;
  const clusterName = 'onboarding';
  stack.use(startWorkloads({ client, node, clusterName, jobBackOff, stopGraceSeconds: 0, ...options }));
  const all = stack.move();
  return { plane, client, node, folder, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const namespace = 'default';

/** The reference to an object of the tests. */
export const at = (ref: ResourceRef, name: string) => ({ ...ref, namespace, name });
export const within = (ref: ResourceRef): ResourceRef => ({ ...ref, namespace });

/** A container that runs a shell script; it stops at once on SIGTERM. */
export const shell = (script: string, more: Partial<Container> = {}): Container => ({
  name: 'main',
  image: 'none',
  command: ['sh', '-c', script],
  ...more,
});

export const sleeping = shell('exec sleep 600');

const template = (
  app: string,
  containers: readonly Container[],
  annotations?: Record<string, string>,
): PodTemplate => ({
  metadata: { labels: { app }, ...(annotations === undefined ? {} : { annotations }) },
  spec: { containers, terminationGracePeriodSeconds: 2 },
});

export const deploymentOf = (
  name: string,
  containers: readonly Container[],
  more: Partial<NonNullable<Deployment['spec']>> = {},
  annotations?: Record<string, string>,
): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: name } },
    template: template(name, containers, annotations),
    ...more,
  },
});

export const jobOf = (name: string, container: Container, more: Partial<NonNullable<Job['spec']>> = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } }, ...more },
});

/** Waits until an object matches. */
export async function untilObject<T extends KubeObject>(
  client: Client,
  ref: ResourceRef,
  name: string,
  fits: (object: T) => boolean,
): Promise<T> {
  const look = async (): Promise<{ object: T } | undefined> => {
    const object = await client.get<T>(at(ref, name));
    return fits(object) ? { object } : undefined;
  };
  return (await eventually(look, { what: `${ref.plural} "${name}"`, timeoutMs: 20_000 })).object;
}

/** Waits until a deployment is rolled out. */
export const untilRolledOut = (client: Client, name: string): Promise<Deployment> =>
  untilObject<Deployment>(client, refs.deployments, name, ({ metadata, spec, status }) => {
    const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration } = status ?? {};
    const wanted = spec?.replicas ?? 1;
    const isAll = updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
    return observedGeneration === metadata.generation && isAll;
  });

/** Waits until an object is deleted. */
export const untilGone = (client: Client, ref: ResourceRef, name: string): Promise<unknown> =>
  eventually(
    () =>
      client.get(at(ref, name)).then(
        () => false,
        error => isError(error, 'NotFound'),
      ),
    { what: `the end of ${ref.plural} "${name}"`, timeoutMs: 20_000 },
  );

/** The first process of a pod's container `main`. */
export const pidOf = (folder: string, { metadata }: PodObject): number =>
  Number(readFileSync(join(folder, 'pods', metadata.uid ?? '', 'main', 'pid'), 'utf8').split(' ')[0]);

/** The pods of an app. */
export const podsOf = async (client: Client, app: string): Promise<readonly PodObject[]> =>
  (await client.list<PodObject>(within(refs.pods), { labelSelector: `app=${app}` })).items;
