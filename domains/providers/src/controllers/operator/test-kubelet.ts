import { isError, type JsonObject, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { createInformer, installKinds, isDeleting, ownerReference } from '@chandlery/runtime';
import { serviceProviders } from '../../kinds/index.ts';
import { fooDefinitions } from './test-foo-kinds.ts';

/** The outcome of the next init jobs. */
export type InitScript = 'succeed' | 'fail' | 'hang';

/** Replaces everything that runs pods: decides the outcome of Jobs and Deployments at once. */
export interface Kubelet extends AsyncDisposable {
  init: InitScript;
  /** Finalizers of the pods that it creates, by which tests keep them. */
  podFinalizers: string[];
  /** The log of every pod. */
  log: string;
  /** The termination message of containers of Deployments, which all fail. Empty: they run. */
  crash: string;
  /** The number of init jobs. */
  readonly inits: number;
  readonly readPodLog: (pod: KubeObject, tailLines: number) => Promise<string>;
}

const namespace = 'openmcp-system';
const jobs = { group: 'batch', version: 'v1', plural: 'jobs', namespace };
const deployments = { group: 'apps', version: 'v1', plural: 'deployments', namespace };
const pods = { group: '', version: 'v1', plural: 'pods', namespace };

interface Workload extends KubeObject {
  spec: { replicas?: number; template: { metadata: KubeObject['metadata']; spec: JsonObject } };
}

export function startKubelet(platform: Client, onboarding: Client): Kubelet {
  const stack = new AsyncDisposableStack();
  const failures: unknown[] = [];
  const seen = new Set<string>();
  let turn = Promise.resolve();
  const kubelet: Kubelet = {
    init: 'succeed',
    podFinalizers: [],
    log: '',
    crash: '',
    get inits() {
      return seen.size;
    },
    readPodLog: async () => kubelet.log,
    async [Symbol.asyncDispose]() {
      await stack.disposeAsync();
      await turn;
      if (failures.length > 0) throw failures[0];
    },
  };
  const serially = (work: () => Promise<void>): void => {
    turn = turn.then(work).catch((thrown: unknown) => {
      // Objects may be deleted while they are processed.
      if (!isError(thrown, 'NotFound', 'Conflict', 'AlreadyExists')) failures.push(thrown);
    });
  };
  const addPod = (owner: Workload, phase: string): Promise<KubeObject> => makePod(platform, { owner, phase, kubelet });
  const runJob = async (job: Workload): Promise<void> => {
    if (isDeleting(job) || seen.has(job.metadata.uid ?? '')) return;
    seen.add(job.metadata.uid ?? '');
    const script = kubelet.init;
    await addPod(job, script === 'fail' ? 'Failed' : 'Running');
    if (script === 'hang') return;
    if (script === 'succeed') await initFoo(platform, onboarding, job);
    await setStatus(platform, jobs, job, jobStatus(script));
  };
  const runDeployment = async (deployment: Workload): Promise<void> => {
    if (isDeleting(deployment)) return;
    const { replicas = 1 } = deployment.spec;
    await addPod(deployment, 'Running').catch(() => undefined);
    const { generation: observedGeneration } = deployment.metadata;
    const ready = kubelet.crash === '' ? replicas : 0;
    const all = { replicas, updatedReplicas: replicas, availableReplicas: ready, readyReplicas: ready };
    await setStatus(platform, deployments, deployment, { observedGeneration, ...all });
  };
  const jobInformer = stack.use(createInformer<Workload>({ client: platform, ref: jobs }));
  jobInformer.listen({ added: job => serially(() => runJob(job)) });
  const deploymentInformer = stack.use(createInformer<Workload>({ client: platform, ref: deployments }));
  deploymentInformer.listen({
    added: deployment => serially(() => runDeployment(deployment)),
    updated: deployment => serially(() => runDeployment(deployment)),
  });
  for (const informer of [jobInformer, deploymentInformer]) informer.start();
  return kubelet;
}

async function makePod(
  platform: Client,
  { owner, phase, kubelet }: { owner: Workload; phase: string; kubelet: Kubelet },
): Promise<KubeObject> {
  const { metadata, spec } = owner.spec.template;
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name: `${owner.metadata.name}-${owner.metadata.uid?.slice(0, 8)}`,
      namespace,
      finalizers: kubelet.podFinalizers,
      ownerReferences: [ownerReference(owner, { controller: true, blockOwnerDeletion: true })],
    },
    spec,
  };
  const created = await platform.create(pods, pod);
  await setStatus(platform, pods, created, { phase, ...containersOf(owner, kubelet) });
  return created;
}

function containersOf({ metadata }: KubeObject, { crash }: Kubelet): JsonObject {
  if (metadata.name?.endsWith('-init') || crash === '') return {};
  const terminated = { exitCode: 1, reason: 'Error', message: crash };
  return { containerStatuses: [{ name: 'provider', ready: false, state: {}, lastState: { terminated } }] };
}

/** As the init of a provider made by the SDK would. */
async function initFoo(platform: Client, onboarding: Client, job: KubeObject): Promise<void> {
  if (!job.metadata.name?.startsWith('sp-')) return;
  const name = job.metadata.annotations?.['openmcp.cloud/provider-name'] ?? '';
  const { api, config } = fooDefinitions(name);
  await installKinds(onboarding, [api], { fieldManager: `provider.${name}` });
  await installKinds(platform, [config], { fieldManager: `provider.${name}` });
  const resources = [{ group: 'foo.services.example.org', version: 'v1', kind: 'Foo' }];
  const ref = { ...serviceProviders.ref, name, subresource: 'status' };
  await platform.patch(ref, { type: 'merge', body: { status: { resources } } });
}

function jobStatus(script: 'succeed' | 'fail'): JsonObject {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  if (script === 'succeed')
    return { succeeded: 1, conditions: [{ type: 'Complete', status: 'True', lastTransitionTime }] };
  const reason = 'BackoffLimitExceeded';
  const message = 'Job has reached the specified backoff limit';
  return { failed: 5, conditions: [{ type: 'Failed', status: 'True', reason, message, lastTransitionTime }] };
}

async function setStatus(
  platform: Client,
  ref: { group: string; version: string; plural: string; namespace: string },
  { metadata }: KubeObject,
  status: JsonObject,
): Promise<void> {
  const body = { metadata: { uid: metadata.uid }, status };
  await platform.patch({ ...ref, name: metadata.name ?? '', subresource: 'status' }, { type: 'merge', body });
}
