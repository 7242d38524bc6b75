import { setTimeout as sleep } from 'node:timers/promises';
import { isError, type KubeObject } from '@chandlery/api';
import { systemNamespace } from '@chandlery/clusters/kinds';
import { apply } from '@chandlery/runtime';
import { type Provider, providerNames } from '../../kinds/index.ts';
import { elderOf } from '../../model/operator/check-spec.ts';
import { isJobOf } from '../../model/operator/init-state.ts';
import { ownClusterKinds, ownKinds } from '../../model/operator/own-kinds.ts';
import { podObstacle } from '../../model/operator/pod-obstacle.ts';
import { type ProviderClass, providerClasses } from '../../model/operator/provider-class.ts';
import { labelsOf, managedByValue, namesOf, selectorText } from '../../model/operator/provider-names.ts';
import { apiNeeds } from './api-needs.ts';
import { clearObjects, deleteObject } from './clear-objects.ts';
import { collections } from './collections.ts';
import type { InitNeeds, OperatorNeeds, RunNeeds } from './needs.ts';
import type { OperatorWorld } from './operator-world.ts';
import { followerOf, removalNeeds } from './removal-needs.ts';

const fieldManager = 'chandlery-operator';
const logTimeoutMs = 5000;
const nameOf = ({ metadata }: Provider): string => metadata.name ?? '';

/** Connects the steps for one kind of providers to the world. */
export function operatorNeeds(
  world: OperatorWorld,
  providerClass: ProviderClass,
  wake: (provider: Provider) => void,
): OperatorNeeds {
  const { platform, environment, runsPods = true } = world.options;
  const others = providerClasses.filter(({ kind }) => kind !== providerClass.kind).map(other => world.providers(other));
  const findElder = (provider: Provider): Provider | undefined => {
    const namesakes = others.flatMap(informer => informer.get(undefined, nameOf(provider)) ?? []);
    return elderOf(provider, namesakes);
  };
  return {
    providerClass,
    runsPods,
    environment,
    apply: objects => apply(platform, fieldManager, objects),
    record: (provider, event) => world.recorder.record(provider, event),
    ...initNeeds(world, providerClass),
    ...apiNeeds(world, providerClass),
    ...runNeeds(world, providerClass, wake),
    ...removalNeeds(world, providerClass, { wake, findElder }),
    findElder,
  };
}

function initNeeds(world: OperatorWorld, providerClass: ProviderClass): InitNeeds {
  const { platform, readPodLog } = world.options;
  const findJob = (provider: Provider): KubeObject | undefined =>
    world.jobs.get(systemNamespace, namesOf(providerClass, nameOf(provider)).init);
  return {
    findJob,
    async createJob(provider, job) {
      try {
        await platform.create(collections.jobs, job, { fieldManager });
      } catch (thrown) {
        // The cache may be behind what was created before.
        if (!isError(thrown, 'AlreadyExists')) throw thrown;
        const existing = await platform.get({ ...collections.jobs, name: job.metadata.name ?? '' });
        if (!isJobOf(existing, provider)) throw thrown;
      }
    },
    async removeJob(provider) {
      const job = findJob(provider);
      if (job !== undefined) await deleteObject(platform, collections.jobs, job, { propagationPolicy: 'Foreground' });
    },
    findInitObstacle: provider => podObstacle(podsOf(world, findJob(provider))[0]),
    async readInitLog(provider) {
      const pod = failedPod(world, findJob(provider));
      if (pod === undefined || readPodLog === undefined) return undefined;
      const tooLate = sleep(logTimeoutMs, undefined, { ref: false });
      return Promise.race([readPodLog(pod, 10).catch(() => undefined), tooLate]);
    },
  };
}

/** The pod of a job that failed last; the newest when none has failed yet. */
function failedPod(world: OperatorWorld, job: KubeObject | undefined): KubeObject | undefined {
  const pods = podsOf(world, job);
  return pods.find(pod => (pod['status'] as { phase?: string } | undefined)?.phase === 'Failed') ?? pods[0];
}

/** The pods of a job, the newest first. */
function podsOf(world: OperatorWorld, job: KubeObject | undefined): readonly KubeObject[] {
  if (job === undefined) return [];
  const isOwn = ({ metadata }: KubeObject): boolean =>
    metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) ?? false;
  return world.pods.list(systemNamespace).filter(isOwn).sort(byAge);
}

const ageKey = ({ metadata }: KubeObject): string => `${metadata.creationTimestamp} ${metadata.name}`;
const byAge = (a: KubeObject, b: KubeObject): number => (ageKey(a) < ageKey(b) ? 1 : -1);

function runNeeds(world: OperatorWorld, providerClass: ProviderClass, wake: (provider: Provider) => void): RunNeeds {
  const { platform } = world.options;
  const names = (provider: Provider) => namesOf(providerClass, nameOf(provider));
  return {
    hasWebhookTls: provider => world.secrets.get(systemNamespace, names(provider).webhookTls) !== undefined,
    hasDeployment: provider => world.deployments.get(systemNamespace, names(provider).run) !== undefined,
    async findConfigs(provider) {
      const kinds = ownClusterKinds(world.platformDefinitions.list(), nameOf(provider));
      const found = kinds.map(({ group, version, plural }) =>
        platform.get({ group, version, plural, name: nameOf(provider) }).catch(ignoreNotFound),
      );
      return (await Promise.all(found)).filter(object => object !== undefined);
    },
    ownRequests(provider) {
      const value = managedByValue(nameOf(provider));
      const isOwn = ({ metadata }: KubeObject): boolean => metadata.labels?.[providerNames.managedByLabel] === value;
      return world.requests.flatMap(informer => informer.list().filter(isOwn));
    },
    followConfigs(provider) {
      const own = ownKinds(world.platformDefinitions.list(), nameOf(provider));
      world.platformWatches.follow(followerOf(provider), own, () => wake(provider));
    },
    async removeMetricsService(provider) {
      const labelSelector = selectorText(labelsOf(providerClass, nameOf(provider), 'controller'));
      await clearObjects(platform, { ref: collections.services, labelSelector });
    },
    platformDefinitions: () => world.platformDefinitions.list(),
    onboardingDefinitions: () => world.onboardingDefinitions.list(),
  };
}

function ignoreNotFound(error: unknown): undefined {
  if (!isError(error, 'NotFound')) throw error;
}
