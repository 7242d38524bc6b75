import {
  type Controller,
  createController,
  isDeleting,
  keyOf,
  type StepContext,
  type StepResult,
  type WatchSource,
} from '@chandlery/runtime';
import { formatPorts, portsAnnotation } from '../../kinds/dynamic-ports.ts';
import { isOver, type PodStatus } from '../../model/pods/pod-status.ts';
import type { PodObject } from '../../model/workloads/objects.ts';
import { podEvents } from '../../model/workloads/pod-events.ts';
import { mergeStatus } from '../../model/workloads/pod-report.ts';
import type { PodHome } from '../../ports.ts';
import { findSources, hasAccount, type SourceKind, sourceKey, sourceKeys } from './find-sources.ts';
import { PodTerminator } from './pod-terminator.ts';
import { refs } from './refs.ts';
import { byUid } from './workload-caches.ts';
import { plainOptions, type WorkloadDeps } from './workload-deps.ts';

const bySource = 'source';

/**
 * How long the first reports of a pod wait for its end. A pod that ends within this time costs one write instead of
 * three, and its owner waits for one commit instead of three.
 */
const firstReportMs = 50;

/** Runs the pods of one cluster that are bound to the node, and reports their status. */
export class Kubelet implements AsyncDisposable {
  readonly #deps: WorkloadDeps;
  readonly #home: PodHome;
  readonly #terminator: PodTerminator;
  readonly #controller: Controller;
  readonly #unlisten: (() => void)[] = [];
  /** The version of the values that pods were last run with, by uid. */
  readonly #given = new Map<string, string>();
  /** When the node took pods, by uid. */
  readonly #takenAt = new Map<string, number>();
  /** The last status of the node, by uid, for events. */
  readonly #reported = new Map<string, PodStatus>();

  constructor(deps: WorkloadDeps, home: PodHome) {
    this.#deps = deps;
    this.#home = home;
    this.#terminator = new PodTerminator(deps);
    const { pods, secrets, configMaps } = deps.caches;
    pods.informer.addIndex(bySource, sourceKeys);
    const podsWith = (kind: SourceKind): WatchSource['mapToKeys'] => {
      return ({ metadata }) => pods.informer.byIndex(bySource, sourceKey(kind, metadata)).map(keyOf);
    };
    this.#controller = createController<PodObject, undefined>({
      ...plainOptions<PodObject>(deps, 'kubelet'),
      for: { ref: refs.pods, informer: pods.informer },
      watches: [
        { informer: secrets, mapToKeys: podsWith('secrets') },
        { informer: configMaps, mapToKeys: podsWith('configMaps') },
        // Read when a pod starts; changes concern later pods.
        { informer: deps.caches.serviceAccounts, mapToKeys: () => [] },
      ],
      steps: [this.#runPod, this.#reportPorts, this.#reportStatus],
      needs: undefined,
      concurrency: 4,
    });
  }

  start(): void {
    const { node, caches, logger } = this.#deps;
    this.#unlisten.push(
      node.onStatus((uid, status) => this.#onStatus(uid, status)),
      node.onProbeFailure((uid, { message }) => {
        const pod = this.#podOf(uid);
        if (pod !== undefined) this.#deps.events.record(pod, { type: 'Warning', reason: 'Unhealthy', message });
      }),
      caches.pods.informer.listen({
        added: pod => this.#endIfDeleted(pod),
        updated: pod => this.#endIfDeleted(pod),
        deleted: pod => this.#forget(pod),
      }),
    );
    this.#controller.start();
    caches.pods.informer.synced.then(
      () => this.#removeOrphans(),
      () => logger.debug('stopped before the pods were known'),
    );
  }

  #podOf(uid: string): PodObject | undefined {
    return this.#deps.caches.pods.informer.byIndex(byUid, uid)[0];
  }

  #isHere({ spec }: PodObject): boolean {
    return spec?.nodeName === this.#deps.node.machine.name;
  }

  #onStatus(uid: string, status: PodStatus): void {
    const pod = this.#podOf(uid);
    if (pod === undefined) return;
    const before = this.#reported.get(uid) ?? (pod.status as PodStatus | undefined);
    for (const event of podEvents(before, status)) this.#deps.events.record(pod, event);
    this.#reported.set(uid, status);
    this.#controller.enqueue(keyOf(pod));
  }

  #endIfDeleted(pod: PodObject): void {
    if (isDeleting(pod) && this.#isHere(pod)) this.#terminator.end(pod);
  }

  /** The object is deleted, so that the rest of the pod is removed, whether its deletion was requested or not. */
  #forget({ metadata }: PodObject): void {
    const { uid = '' } = metadata;
    this.#given.delete(uid);
    this.#takenAt.delete(uid);
    this.#reported.delete(uid);
    this.#remove(uid);
  }

  #remove(uid: string): void {
    const { node, logger } = this.#deps;
    node.removePod(uid).catch((error: unknown) => logger.warn(`cannot remove what pod ${uid} left: ${String(error)}`));
  }

  /** Removes pods of this cluster that the node has and the API has not. */
  #removeOrphans(): void {
    const { node } = this.#deps;
    const { cluster } = this.#home;
    const known = [...node.list(cluster), ...node.listLeftovers(cluster)];
    for (const uid of known) if (this.#podOf(uid) === undefined) this.#remove(uid);
  }

  /** Reads the cache again, because the given copy may be stale; nothing can change before the start. */
  readonly #runPod = (pod: PodObject, _needs: undefined, { now }: StepContext): StepResult => {
    const { metadata } = pod;
    const cached = this.#deps.caches.pods.informer.get(metadata.namespace, metadata.name ?? '');
    const isWanted = cached !== undefined && cached.metadata.uid === metadata.uid && !isDeleting(cached);
    if (!isWanted || !this.#isHere(pod)) return 'stop';
    const uid = metadata.uid ?? '';
    const { sources, version } = findSources(this.#deps.caches, pod);
    const { [portsAnnotation]: _, ...annotations } = metadata.annotations ?? {};
    const given = JSON.stringify([version, metadata.labels, annotations]);
    if (this.#given.get(uid) === given) return 'continue';
    this.#deps.node.runPod(pod, sources, { ...this.#home, hasAccount: hasAccount(this.#deps.caches, pod) });
    this.#given.set(uid, given);
    if (!this.#takenAt.has(uid)) this.#takenAt.set(uid, now.getTime());
    return 'continue';
  };

  readonly #reportPorts = (pod: PodObject): StepResult => {
    const ports = this.#deps.node.portsOf(pod.metadata.uid ?? '');
    if (Object.keys(ports).length === 0) return 'continue';
    pod.metadata.annotations = { ...pod.metadata.annotations, [portsAnnotation]: formatPorts(ports) };
    return 'continue';
  };

  readonly #reportStatus = (pod: PodObject, _needs: undefined, { now }: StepContext): StepResult => {
    const { uid = '' } = pod.metadata;
    const status = this.#deps.node.statusOf(uid);
    if (status === undefined) return 'continue';
    const waitMs = (this.#takenAt.get(uid) ?? 0) + firstReportMs - now.getTime();
    if (!isOver(status.phase) && waitMs > 0 && waitMs <= firstReportMs) return { retryAfterMs: waitMs };
    pod.status = mergeStatus(pod.status, status) ?? {};
    return 'continue';
  };

  /** Stops starting and reporting: later stops are caused by the shutdown and not by the pods. */
  async detach(): Promise<void> {
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
    await this.#controller.stop();
  }

  /** Waits for pods that are being stopped; others continue to run until they are released. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.detach();
    await this.#terminator[Symbol.asyncDispose]();
  }
}
