import { setTimeout as sleep } from 'node:timers/promises';
import { byCreation, isError, type KubeObject, podFailure } from '@chandlery/api';
import { systemNamespace } from '@chandlery/clusters/kinds';
import { apply, ignoreNotFound } from '@chandlery/runtime';
import { livenessLeaseOf, type Provider, providerNames } from '../../kinds/index.ts';
import { elderOf } from '../../model/operator/check-spec.ts';
import { isJobOf } from '../../model/operator/init-state.ts';
import { ownClusterKinds, ownKinds } from '../../model/operator/own-kinds.ts';
import { podObstacle } from '../../model/operator/pod-obstacle.ts';
import { type ProviderClass, providerClasses } from '../../model/operator/provider-class.ts';
import { labelsOf, managedByValue, namesOf, selectorText } from '../../model/operator/provider-names.ts';
import { clearObjects, deleteObject } from './clear-objects.ts';
import { collections } from './collections.ts';
import { createApiDeps } from './create-api-deps.ts';
import { createRemovalDeps, followerOf } from './create-removal-deps.ts';
import type { OperatorContext } from './operator-context.ts';
import type { InitDeps, OperatorDeps, RunDeps } from './operator-deps.ts';

const fieldManager = 'chandlery-operator';
const logTimeoutMs = 5000;
/** Enough for an error and its stack. */
const logLines = 200;
const nameOf = ({ metadata }: Provider): string => metadata.name ?? '';

/** Creates the dependencies of the steps for one kind of providers. */
export function createOperatorDeps(
  context: OperatorContext,
  providerClass: ProviderClass,
  enqueue: (provider: Provider) => void,
): OperatorDeps {
  const { platform, environment, runsPods = true } = context.options;
  const others = providerClasses
    .filter(({ kind }) => kind !== providerClass.kind)
    .map(other => context.providers(other));
  const findElder = (provider: Provider): Provider | undefined => {
    const namesakes = others.flatMap(informer => informer.get(undefined, nameOf(provider)) ?? []);
    return elderOf(provider, namesakes);
  };
  return {
    providerClass,
    runsPods,
    environment,
    apply: objects => apply(platform, fieldManager, objects),
    record: (provider, event) => context.recorder.record(provider, event),
    ...createInitDeps(context, providerClass),
    ...createApiDeps(context, providerClass),
    ...createRunDeps(context, providerClass, enqueue),
    ...createRemovalDeps(context, providerClass, { enqueue, findElder }),
    findElder,
  };
}

function createInitDeps(context: OperatorContext, providerClass: ProviderClass): InitDeps {
  const { platform, readPodLog } = context.options;
  const findJob = (provider: Provider): KubeObject | undefined =>
    context.jobs.get(systemNamespace, namesOf(providerClass, nameOf(provider)).init);
  return {
    findJob,
    async createJob(provider, job) {
      try {
        await platform.create(collections.jobs, job, { fieldManager });
      } catch (thrown) {
        // The cache may be stale.
        if (!isError(thrown, 'AlreadyExists')) throw thrown;
        const existing = await platform.get({ ...collections.jobs, name: job.metadata.name ?? '' });
        if (!isJobOf(existing, provider)) throw thrown;
      }
    },
    async removeJob(provider) {
      const job = findJob(provider);
      if (job !== undefined) await deleteObject(platform, collections.jobs, job, { propagationPolicy: 'Foreground' });
    },
    findInitObstacle: provider => podObstacle(podsOf(context, findJob(provider))[0]),
    async readInitLog(provider) {
      const pod = failedPod(context, findJob(provider));
      if (pod === undefined || readPodLog === undefined) return undefined;
      const tooLate = sleep(logTimeoutMs, undefined, { ref: false });
      return Promise.race([readPodLog(pod, logLines).catch(() => undefined), tooLate]);
    },
  };
}

/** The pod of a job that failed last; the newest when none has failed yet. */
function failedPod(context: OperatorContext, job: KubeObject | undefined): KubeObject | undefined {
  const pods = podsOf(context, job);
  return pods.find(pod => (pod['status'] as { phase?: string } | undefined)?.phase === 'Failed') ?? pods[0];
}

const newestFirst = (a: KubeObject, b: KubeObject): number => byCreation(b, a);

/** The pods of a job, the newest first. */
function podsOf(context: OperatorContext, job: KubeObject | undefined): readonly KubeObject[] {
  if (job === undefined) return [];
  const isOwn = ({ metadata }: KubeObject): boolean =>
    metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) ?? false;
  return context.pods.list(systemNamespace).filter(isOwn).sort(newestFirst);
}

/** The pods of the run part, the newest first. */
const runPodsOf = (context: OperatorContext, labels: Readonly<Record<string, string>>): readonly KubeObject[] =>
  context.pods
    .list(systemNamespace)
    .filter(({ metadata }) => Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value))
    .sort(newestFirst);

function createRunDeps(
  context: OperatorContext,
  providerClass: ProviderClass,
  enqueue: (provider: Provider) => void,
): RunDeps {
  const { platform } = context.options;
  const names = (provider: Provider) => namesOf(providerClass, nameOf(provider));
  return {
    findRunObstacle(provider) {
      const [newest] = runPodsOf(context, labelsOf(providerClass, nameOf(provider), 'controller'));
      return newest && (podObstacle(newest) ?? podFailure(newest));
    },
    findLiveness: provider => context.leases?.get(systemNamespace, livenessLeaseOf(nameOf(provider))),
    hasWebhookTls: provider => context.secrets.get(systemNamespace, names(provider).webhookTls) !== undefined,
    hasDeployment: provider => context.deployments.get(systemNamespace, names(provider).run) !== undefined,
    async findConfigs(provider) {
      const kinds = ownClusterKinds(context.platformDefinitions.list(), nameOf(provider));
      const found = kinds.map(({ group, version, plural }) =>
        platform.get({ group, version, plural, name: nameOf(provider) }).catch(ignoreNotFound),
      );
      return (await Promise.all(found)).filter(object => object !== undefined);
    },
    ownRequests(provider) {
      const value = managedByValue(nameOf(provider));
      const isOwn = ({ metadata }: KubeObject): boolean => metadata.labels?.[providerNames.managedByLabel] === value;
      return context.requests.flatMap(informer => informer.list().filter(isOwn));
    },
    followConfigs(provider) {
      const own = ownKinds(context.platformDefinitions.list(), nameOf(provider));
      context.platformWatches.follow(followerOf(provider), own, () => enqueue(provider));
    },
    async removeMetricsService(provider) {
      const labelSelector = selectorText(labelsOf(providerClass, nameOf(provider), 'controller'));
      await clearObjects(platform, { ref: collections.services, labelSelector });
    },
    platformDefinitions: () => context.platformDefinitions.list(),
    onboardingDefinitions: () => context.onboardingDefinitions.list(),
  };
}
