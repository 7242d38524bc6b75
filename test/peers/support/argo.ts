import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  eventually,
  type RunningProcess,
  startProcess,
  type TestCluster,
  type TestLandscape,
} from '@chandlery/testing';
import { apply } from './apply-objects.ts';
import { executorRights, setUpNamespace } from './argo-namespace.ts';

/** The genuine controller of Argo Workflows on a local cluster of a landscape. */
export interface Argo extends AsyncDisposable {
  /** The name of the Cluster. */
  readonly name: string;
  readonly cluster: TestCluster;
  readonly controller: RunningProcess;
  /** Makes a namespace in which Workflows can be executed. */
  prepare(namespace: string): Promise<void>;
}

const system = 'openmcp-system';

const configOf = (images: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'workflow-controller-configmap', namespace: 'argo' },
  data: {
    // Argo's executor has its paths built in, so its pods need file systems of their own.
    workflowDefaults: JSON.stringify({
      spec: { podMetadata: { annotations: { 'clusters.chandlery.io/isolation': 'namespaces' } } },
    }),
    kubeConfig: JSON.stringify({ secretName: 'executor-kubeconfig', secretKey: 'config' }),
    executor: JSON.stringify({ imagePullPolicy: 'IfNotPresent' }),
    images: JSON.stringify(images),
    metricsConfig: JSON.stringify({ enabled: false }),
    telemetryConfig: JSON.stringify({ enabled: false }),
  },
});

/** Starts it. The landscape must have been started with the programs of Argo on its PATH: pods find `argoexec` there. */
export async function startArgo(landscape: TestLandscape, controller: string, images: object = {}): Promise<Argo> {
  const name = 'argo';
  const cluster = await createLocalCluster(landscape, name);
  const folder = dirname(controller);
  for (const file of await readdir(join(folder, 'crds')))
    if (file.startsWith('argoproj.io_')) await apply(cluster, await readFile(join(folder, 'crds', file), 'utf8'));
  await apply(cluster, JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argo' } }));
  await apply(cluster, JSON.stringify(configOf(images)));
  for (const object of executorRights) await apply(cluster, JSON.stringify(object));
  const kubeconfig = join(landscape.dataDir, '..', 'argo.kubeconfig');
  const all = await readFile(landscape.kubeconfig, 'utf8');
  await writeFile(kubeconfig, all.replace(/current-context: .*/, `current-context: ${name}`));
  const running = await startProcess(
    controller,
    ['--kubeconfig', kubeconfig, '--namespace', 'argo', '--executor-image', 'argoexec', '--executor-plugins=false'],
    {
      env: { LEADER_ELECTION_DISABLE: 'true', DEFAULT_REQUEUE_TIME: '500ms', ARGO_PROGRESS_PATCH_TICK_DURATION: '0' },
      cwd: dirname(kubeconfig),
    },
  );
  return {
    name,
    cluster,
    controller: running,
    prepare: namespace => setUpNamespace(landscape, cluster, namespace),
    [Symbol.asyncDispose]: async () => {
      await running.kill9();
    },
  };
}

async function createLocalCluster(landscape: TestLandscape, name: string): Promise<TestCluster> {
  const object = {
    apiVersion: 'clusters.openmcp.cloud/v1alpha1',
    kind: 'Cluster',
    metadata: { name, namespace: system },
    spec: { profile: 'local', purposes: ['workload'], tenancy: 'Shared' },
  };
  await apply(landscape.cluster('platform'), JSON.stringify(object));
  await eventually(async () => (await readFile(landscape.kubeconfig, 'utf8')).includes(`/clusters/${name}\n`), {
    what: `the context ${name}`,
    timeoutMs: 60_000,
  });
  const made = landscape.cluster(name);
  await eventually(async () => (await made.kubectl(['get', 'nodes', '-o', 'name'])).stdout.includes('node/'), {
    what: 'a node',
    timeoutMs: 60_000,
  });
  return made;
}
