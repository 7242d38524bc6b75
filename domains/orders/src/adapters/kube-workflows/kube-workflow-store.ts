import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { retryOnConflict } from '@chandlery/runtime';
import type { WorkflowDocument } from '@chandlery/workflow';
import { workflowsRef } from '../../kinds/workflows/index.ts';
import { orderAnnotations } from '../../model/documents/order-document.ts';
import type { WorkflowAddress, WorkflowStore } from '../../order-ports.ts';
import { ensureNamespace } from './ensure-namespace.ts';

/** Workflows as Kubernetes objects: of the platform cluster, or of any cluster on which Argo runs. */
export class KubeWorkflowStore implements WorkflowStore {
  readonly #client: Client;
  /** Namespaces that are known to exist. */
  readonly #namespaces = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
  }

  async submit(document: WorkflowDocument): Promise<string> {
    const { namespace = '', name = '' } = document.metadata;
    await this.#ensureNamespace(namespace);
    try {
      const created = await this.#client.create({ ...workflowsRef, namespace }, document as unknown as KubeObject);
      return created.metadata.uid ?? '';
    } catch (error) {
      if (isError(error, 'NotFound')) this.#namespaces.delete(namespace);
      if (!isError(error, 'AlreadyExists')) throw error;
      return this.#sameOrder(document, await this.#client.get(refOf({ namespace, name })));
    }
  }

  async get(address: WorkflowAddress): Promise<KubeObject | undefined> {
    try {
      return await this.#client.get(refOf(address));
    } catch (error) {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async patchSpec(address: WorkflowAddress, spec: Readonly<Record<string, string | boolean>>): Promise<void> {
    await this.#client.patch(refOf(address), { type: 'merge', body: { spec: { ...spec } } });
  }

  async edit(address: WorkflowAddress, change: (workflow: KubeObject) => KubeObject): Promise<void> {
    const ref = refOf(address);
    await retryOnConflict(async () => this.#client.update(ref, change(await this.#client.get(ref))));
  }

  async remove(address: WorkflowAddress): Promise<void> {
    try {
      await this.#client.delete(refOf(address));
    } catch (error) {
      if (!isError(error, 'NotFound')) throw error;
    }
  }

  #sameOrder({ metadata }: WorkflowDocument, found: KubeObject): string {
    const key = orderAnnotations.order;
    if (found.metadata.annotations?.[key] === metadata.annotations?.[key]) return found.metadata.uid ?? '';
    throw new Error(`there is another Workflow ${metadata.name ?? ''}, which is not the order's`);
  }

  async #ensureNamespace(name: string): Promise<void> {
    if (this.#namespaces.has(name)) return;
    await ensureNamespace(this.#client, name);
    this.#namespaces.add(name);
  }
}

const refOf = ({ namespace, name }: WorkflowAddress): ObjectRef => ({ ...workflowsRef, namespace, name });
