import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { retryOnConflict } from '@chandlery/runtime';
import type { WorkflowDocument } from '@chandlery/workflow';
import { OrdersError } from '../../errors.ts';
import { workflowsRef } from '../../kinds/workflows/index.ts';
import { orderAnnotations } from '../../model/documents/order-document.ts';
import type { SubmittedWorkflow, WorkflowAddress } from '../../order-ports.ts';
import { ensureNamespace } from './ensure-namespace.ts';

/** Workflows as Kubernetes objects: of the platform cluster, or of any cluster on which Argo runs. Both engines use it. */
export class KubeWorkflowStore {
  readonly #client: Client;
  /** Namespaces that are known to exist. */
  readonly #namespaces = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Creates a Workflow. One of this name that is there already is returned when it is the same order's. */
  async submit(document: WorkflowDocument): Promise<SubmittedWorkflow> {
    const { namespace = '', name = '' } = document.metadata;
    await this.#ensureNamespace(namespace);
    try {
      const created = await this.#client.create({ ...workflowsRef, namespace }, document as unknown as KubeObject);
      return { namespace, name, uid: created.metadata.uid ?? '' };
    } catch (error) {
      if (isError(error, 'NotFound')) this.#namespaces.delete(namespace);
      if (!isError(error, 'AlreadyExists')) throw error;
      const uid = sameOrder(document, await this.#client.get(refOf({ namespace, name })));
      return { namespace, name, uid };
    }
  }

  /** Returns a Workflow; undefined when there is none. */
  async get(address: WorkflowAddress): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(refOf(address));
    } catch (error) {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Sets fields of the spec. Rejects with `NotFound`. */
  async patchSpec(address: WorkflowAddress, spec: Readonly<Record<string, string | boolean>>): Promise<void> {
    await this.#client.patch(refOf(address), { type: 'merge', body: { spec: { ...spec } } });
  }

  /** Replaces a Workflow by what `change` makes of it, which is called again after a conflict. Rejects with `NotFound`. */
  async edit(
    address: WorkflowAddress,
    change: (workflow: KubeObject) => KubeObject | Promise<KubeObject>,
  ): Promise<void> {
    const ref = refOf(address);
    await retryOnConflict(async () => this.#client.update(ref, await change(await this.#client.get(ref))));
  }

  /** Removes a Workflow; one that is not there is no failure. */
  async remove(address: WorkflowAddress): Promise<void> {
    try {
      await this.#client.delete(refOf(address));
    } catch (error) {
      if (!isError(error, 'NotFound')) throw error;
    }
  }

  async #ensureNamespace(name: string): Promise<void> {
    if (this.#namespaces.has(name)) return;
    await ensureNamespace(this.#client, name);
    this.#namespaces.add(name);
  }
}

const refOf = ({ namespace, name }: WorkflowAddress): ObjectRef => ({ ...workflowsRef, namespace, name });

function sameOrder({ metadata }: WorkflowDocument, found: KubeObject): string {
  const key = orderAnnotations.order;
  if (found.metadata.annotations?.[key] === metadata.annotations?.[key]) return found.metadata.uid ?? '';
  throw new OrdersError('conflict', `There is another Workflow ${metadata.name ?? ''}, which is not the order's`);
}
