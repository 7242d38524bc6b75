import { writeFile } from 'node:fs/promises';
import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import {
  type RecordedState,
  type Recordings,
  recordingsFile,
} from '../../../domains/orders/src/adapters/argo/test-recorded-argo.ts';
import { workflowsRef } from '../../../domains/orders/src/kinds/workflows/index.ts';
import { orderLabels } from '../../../domains/orders/src/model/documents/order-document.ts';
import { containersOf } from '../../../domains/orders/src/model/documents/order-pods.ts';
import type { ContainerRef, WorkflowEngine } from '../../../domains/orders/src/order-ports.ts';

interface Recorded {
  readonly states: RecordedState[];
  readonly logs: Record<string, string>;
  changes: number;
  last: KubeObject | undefined;
}

/** Records what a genuine controller does with Workflows of orders, as the tests without it replay it. */
export class ArgoRecorder implements AsyncDisposable {
  readonly #recorded = new Map<string, Recorded>();
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>;
  readonly #engine: WorkflowEngine;

  constructor(client: Client, engine: WorkflowEngine) {
    this.#engine = engine;
    this.#watching = this.#watch(client);
  }

  /** The engine, with its successful changes counted. */
  get engine(): WorkflowEngine {
    const engine = this.#engine;
    const counted =
      <A extends readonly unknown[]>(call: (address: { readonly name: string }, ...rest: A) => Promise<void>) =>
      async (address: { readonly name: string }, ...rest: A): Promise<void> => {
        const recorded = this.#of(address.name.replace(/^order-/, ''));
        recorded.changes++;
        await call(address, ...rest).catch((error: unknown) => {
          recorded.changes--;
          throw error;
        });
      };
    return {
      placeOf: tenant => engine.placeOf(tenant),
      submit: (document, tenant) => engine.submit(document, tenant),
      get: address => engine.get(address),
      remove: address => engine.remove(address),
      watch: changed => engine.watch(changed),
      readLog: container => engine.readLog(container),
      patchSpec: counted(engine.patchSpec.bind(engine) as never),
      resume: counted(engine.resume.bind(engine) as never),
      setOutputs: counted(engine.setOutputs.bind(engine) as never),
      retry: counted(engine.retry.bind(engine) as never),
    };
  }

  /** Writes all that was recorded. */
  async save(): Promise<void> {
    const recordings: Record<string, Recordings[string]> = {};
    for (const [id, { states, logs, last }] of [...this.#recorded].sort(([one], [other]) => (one < other ? -1 : 1))) {
      for (const container of last === undefined ? [] : containersOf(last)) await this.#addLog(logs, container);
      recordings[id] = { states, logs };
    }
    await writeFile(recordingsFile, `${JSON.stringify(recordings, null, 1)}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #watch(client: Client): Promise<void> {
    for await (const { type, object } of client.watch(workflowsRef, { signal: this.#stopping.signal })) {
      const id = object.metadata.labels?.[orderLabels.order];
      const { status } = object as { readonly status?: RecordedState['status'] };
      if (id === undefined || status === undefined || type === 'BOOKMARK' || type === 'DELETED') continue;
      const recorded = this.#of(id);
      recorded.last = object;
      const labels = Object.entries(object.metadata.labels ?? {}).filter(([name]) => name.startsWith('workflows.'));
      const state = { changes: recorded.changes, labels: Object.fromEntries(labels), status };
      if (JSON.stringify(recorded.states.at(-1)) !== JSON.stringify(state)) recorded.states.push(state);
    }
  }

  async #addLog(logs: Record<string, string>, container: ContainerRef): Promise<void> {
    const bytes = await this.#engine.readLog(container).catch(() => undefined);
    if (bytes === undefined) return;
    const chunks = await Array.fromAsync(bytes);
    logs[`${container.pod}/${container.container}`] = Buffer.concat(chunks).toString();
  }

  #of(id: string): Recorded {
    const found = this.#recorded.get(id) ?? { states: [], logs: {}, changes: 0, last: undefined };
    this.#recorded.set(id, found);
    return found;
  }
}
