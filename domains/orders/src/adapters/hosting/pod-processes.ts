import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { createInformer, type Informer, withoutManagedFields } from '@chandlery/runtime';
import { hostedState, isRunning } from '../../model/hosting/find-endpoint.ts';
import { hostedLabel } from '../../model/hosting/hosted-deployment.ts';
import type { HostedProcesses, HostedState } from '../../order-ports.ts';

const podsRef = { group: '', version: 'v1', plural: 'pods' } as const;

export interface PodProcessesOptions {
  /** Of the cluster on which the pods are. Not disposed of. */
  readonly client: Client;
  readonly onError: (error: Error) => void;
}

/** The processes of services as pods, which a watch keeps up to date. */
export class PodProcesses implements HostedProcesses, AsyncDisposable {
  readonly #pods: Informer;

  constructor({ client, onError }: PodProcessesOptions) {
    this.#pods = createInformer<KubeObject>({
      client,
      ref: podsRef,
      labelSelector: hostedLabel,
      indexes: { service: pod => [serviceOf(pod)] },
      transform: withoutManagedFields,
      onError,
    });
    this.#pods.start();
  }

  stateOf(service: string): HostedState {
    return hostedState(this.#pods.byIndex('service', service));
  }

  isRunning(service: string, process: string): boolean {
    return isRunning(this.#pods.byIndex('service', service), process);
  }

  listen(listener: (service: string) => void): () => void {
    const notify = (pod: KubeObject): void => listener(serviceOf(pod));
    return this.#pods.listen({ added: notify, updated: notify, deleted: notify });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pods.stop();
  }
}

const serviceOf = ({ metadata }: KubeObject): string => metadata.labels?.[hostedLabel] ?? '';
