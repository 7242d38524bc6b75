import { setTimeout as delay } from 'node:timers/promises';
import { isError, type JsonValue } from '@chandlery/api';
import { backOffMs, isSameJson } from '@chandlery/runtime';
import type { PodObject } from '../../model/workloads/objects.ts';
import { mergeStatus } from '../../model/workloads/pod-report.ts';
import { refs, refTo } from './refs.ts';
import type { WorkloadDeps } from './workload-deps.ts';

/** Terminates deleted pods: first their processes, then their objects. */
export class PodTerminator implements AsyncDisposable {
  readonly #deps: WorkloadDeps;
  readonly #ending = new Map<string, Promise<void>>();
  readonly #abort = new AbortController();

  constructor(deps: WorkloadDeps) {
    this.#deps = deps;
  }

  /** Terminates a pod. Idempotent; a later call with a shorter grace period shortens it. */
  end(pod: PodObject): void {
    const { uid = '', deletionGracePeriodSeconds: graceSeconds = 30 } = pod.metadata;
    if (this.#abort.signal.aborted) return;
    const { node, events } = this.#deps;
    const stopped = node.stopPod(uid, graceSeconds);
    if (this.#ending.has(uid)) return;
    const names = (pod.spec?.containers ?? []).map(({ name }) => name).join(', ');
    if (node.statusOf(uid) !== undefined)
      events.record(pod, { type: 'Normal', reason: 'Killing', message: `Stopping container ${names}` });
    const ended = stopped.then(() => this.#finish(pod)).finally(() => this.#ending.delete(uid));
    this.#ending.set(
      uid,
      ended.catch(() => undefined),
    );
  }

  /** Retries until it succeeds: there is no other trigger. */
  async #finish(pod: PodObject): Promise<void> {
    const { signal } = this.#abort;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.#reportEnd(pod);
        return await this.#remove(pod);
      } catch (error) {
        if (isError(error, 'NotFound') || isError(error, 'Conflict')) return;
        const { namespace, name } = pod.metadata;
        this.#deps.logger.warn(`cannot remove pod "${namespace}/${name}": ${String(error)}`);
        await delay(backOffMs(failures, { baseMs: 100, maxMs: 30_000 }), undefined, { signal, ref: false });
      }
    }
  }

  /** Reports the final status, which only finalizer owners can still see. */
  async #reportEnd(pod: PodObject): Promise<void> {
    const { uid = '', finalizers = [] } = pod.metadata;
    const told = this.#deps.node.statusOf(uid);
    if (finalizers.length === 0 || told === undefined) return;
    const status = mergeStatus(pod.status, told);
    if (isSameJson(status, pod.status)) return;
    const body = { metadata: { uid }, status: status as unknown as JsonValue };
    await this.#deps.client.patch({ ...refTo(refs.pods, pod), subresource: 'status' }, { type: 'merge', body });
  }

  async #remove(pod: PodObject): Promise<void> {
    const { uid = '' } = pod.metadata;
    await this.#deps.client.delete(refTo(refs.pods, pod), { gracePeriodSeconds: 0, preconditions: { uid } });
  }

  /** Waits for terminations in progress; unfinished ones are started again at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await Promise.all(this.#ending.values());
  }
}
