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
  readonly #responding = new Set<Promise<void>>();

  constructor(options: ReplicaInquiriesOptions<Item>) {
    this.#options = options;
    this.#inquiries = createInformer<MeshInquiry>({ client: options.platform, ref: meshInquiries.ref });
    this.#inquiries.listen({ added: inquiry => this.#onInquiry(inquiry) });
    this.#inquiries.start();
  }

  /** Asks all other replicas that report proxies of the mesh for these. */
  async ask(mesh: string): Promise<InquiryResult<Item>> {
    const { platform, replica, timeoutMs = 3_000 } = this.#options;
    const replicas = await this.#othersWith(mesh);
    if (replicas.length === 0) return { answers: new Map(), silent: [] };
    const metadata = { generateName: 'proxies-' };
    const inquiry = await platform.create(
      meshInquiries.ref,
      meshInquiries.object(metadata, { mesh, askedBy: replica }),
    );
    const { name = '' } = inquiry.metadata;
    try {
      const answers = await this.#collect(name, replicas, AbortSignal.timeout(timeoutMs));
      return { answers, silent: replicas.filter(other => !answers.has(other)) };
    } finally {
      // The answers are owned by the inquiry; if the deletion fails, all of them expire.
      await platform.delete({ ...meshInquiries.ref, name }).catch(() => undefined);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inquiries[Symbol.asyncDispose]();
    await Promise.all(this.#responding);
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
  async #collect(
    inquiry: string,
    replicas: readonly string[],
    enough: AbortSignal,
  ): Promise<Map<string, readonly Item[]>> {
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
        if (replicas.every(isComplete)) resolve();
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

  #onInquiry(inquiry: MeshInquiry): void {
    const { replica, logger } = this.#options;
    if (inquiry.spec.askedBy === replica) return;
    const responding = this.#respond(inquiry).catch((error: unknown) =>
      logger.warn('cannot respond to the inquiry of another replica', { error: toError(error).message }),
    );
    this.#responding.add(responding);
    void responding.finally(() => this.#responding.delete(responding));
  }

  async #respond({ apiVersion, kind, metadata, spec }: MeshInquiry): Promise<void> {
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
