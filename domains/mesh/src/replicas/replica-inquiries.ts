import { toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { createInformer, type Informer } from '@chandlery/runtime';
import { type MeshInquiry, type MeshInquiryAnswer, meshInquiries, meshInquiryAnswers } from '../kinds/mesh-inquiry.ts';
import { type MeshReplica, meshReplicas } from '../kinds/mesh-replica.ts';
import { splitList } from './split-list.ts';

export interface ReplicaInquiriesOptions<Item> {
  /** Client of the platform cluster. Not disposed of. */
  readonly platform: Client;
  /** Unique name of this replica. */
  readonly replica: string;
  /** The proxies of a mesh on this replica, as JSON values. */
  readonly proxiesOf: (mesh: string) => readonly Item[];
  /** How long to wait for responses. Default 3 000. */
  readonly timeoutMs?: number;
  readonly logger: Logger;
}

/** The result of an inquiry. */
export interface InquiryResult<Item> {
  /** The responses, by name of the replica. */
  readonly answers: ReadonlyMap<string, readonly Item[]>;
  /** Replicas with proxies of the mesh that did not respond in time, sorted. */
  readonly silent: readonly string[];
}

const inquiryLabel = 'mesh.chandlery.io/inquiry';

/**
 * Inquiries between replicas by way of the store: replicas need no connection to each other. Nothing is written without
 * an inquiry, nor by a single replica.
 */
export class ReplicaInquiries<Item> implements AsyncDisposable {
  readonly #options: ReplicaInquiriesOptions<Item>;
  readonly #inquiries: Informer<MeshInquiry>;
  readonly #answering = new Set<Promise<void>>();

  constructor(options: ReplicaInquiriesOptions<Item>) {
    this.#options = options;
    this.#inquiries = createInformer<MeshInquiry>({ client: options.platform, ref: meshInquiries.ref });
    this.#inquiries.listen({ added: inquiry => this.#hear(inquiry) });
    this.#inquiries.start();
  }

  /** Asks all other replicas that report proxies of the mesh for these. */
  async ask(mesh: string): Promise<InquiryResult<Item>> {
    const { platform, replica, timeoutMs = 3_000 } = this.#options;
    const asked = await this.#othersWith(mesh);
    if (asked.length === 0) return { answers: new Map(), silent: [] };
    const metadata = { generateName: 'proxies-' };
    const inquiry = await platform.create(
      meshInquiries.ref,
      meshInquiries.object(metadata, { mesh, askedBy: replica }),
    );
    const { name = '' } = inquiry.metadata;
    try {
      const answers = await this.#gather(name, asked, AbortSignal.timeout(timeoutMs));
      return { answers, silent: asked.filter(other => !answers.has(other)) };
    } finally {
      // The answers are owned by the inquiry; if the deletion fails, all of them expire.
      await platform.delete({ ...meshInquiries.ref, name }).catch(() => undefined);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inquiries[Symbol.asyncDispose]();
    await Promise.all(this.#answering);
  }

  async #othersWith(mesh: string): Promise<string[]> {
    const { platform, replica } = this.#options;
    const { items } = await platform.list<MeshReplica>(meshReplicas.ref);
    return items
      .filter(({ spec }) => spec.meshes?.some(({ name, proxies }) => name === mesh && proxies > 0))
      .map(({ metadata }) => metadata.name ?? '')
      .filter(name => name !== replica)
      .sort();
  }

  /** Collects answers until those of all replicas are complete, or the signal aborts; returns the complete ones. */
  async #gather(inquiry: string, asked: readonly string[], enough: AbortSignal): Promise<Map<string, readonly Item[]>> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const parts = new Map<string, MeshInquiryAnswer['spec'][]>();
    const isComplete = (replica: string): boolean => {
      const known = parts.get(replica);
      return known !== undefined && known.length === known[0]?.parts;
    };
    await using answers = createInformer<MeshInquiryAnswer>({
      ...{ client: this.#options.platform, ref: meshInquiryAnswers.ref },
      labelSelector: `${inquiryLabel}=${inquiry}`,
    });
    answers.listen({
      added: ({ spec }) => {
        parts.set(spec.replica, [...(parts.get(spec.replica) ?? []), spec]);
        if (asked.every(isComplete)) resolve();
      },
    });
    answers.start();
    const stop = (): void => resolve();
    enough.addEventListener('abort', stop, { once: true });
    await promise;
    enough.removeEventListener('abort', stop);
    const complete = [...parts].filter(([replica]) => isComplete(replica));
    return new Map(
      complete.map(([replica, all]) => [replica, all.flatMap(({ proxies }) => JSON.parse(proxies) as Item[])]),
    );
  }

  #hear(inquiry: MeshInquiry): void {
    const { replica, logger } = this.#options;
    if (inquiry.spec.askedBy === replica) return;
    const answering = this.#answer(inquiry).catch((error: unknown) =>
      logger.warn('cannot tell another replica of the proxies of this one', { error: toError(error).message }),
    );
    this.#answering.add(answering);
    void answering.finally(() => this.#answering.delete(answering));
  }

  async #answer({ apiVersion, kind, metadata, spec }: MeshInquiry): Promise<void> {
    const { platform, replica, proxiesOf } = this.#options;
    const { name = '', uid = '' } = metadata;
    const ownerReferences = [{ apiVersion, kind, name, uid }];
    const pieces = splitList(proxiesOf(spec.mesh));
    for (const proxies of pieces) {
      const answer = meshInquiryAnswers.object(
        { generateName: `${name}-`, labels: { [inquiryLabel]: name }, ownerReferences },
        { replica, parts: pieces.length, proxies },
      );
      await platform.create(meshInquiryAnswers.ref, answer);
    }
  }
}
