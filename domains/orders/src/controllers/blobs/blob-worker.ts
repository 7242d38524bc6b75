import { createWorkQueue, relistPriority, runWorkers, type WorkResult } from '@chandlery/runtime';
import type { ActionDeps } from '../../actions/action-deps.ts';
import { isUnfinished } from '../../registry/tenant-usage.ts';
import type { WorkflowArtifacts } from '../../registry/workflows/workflow-registry.ts';

export interface BlobWorkerDeps
  extends Pick<ActionDeps, 'registry' | 'blobs' | 'uploads' | 'blobLocks' | 'clock' | 'logger'> {
  /** Artifacts of workflows, whose bytes are in the same store. Default: there are none. */
  readonly workflowArtifacts?: WorkflowArtifacts | undefined;
}

/** A blob by its digest, or the upload of an artifact by its id. */
type Key = `blob/${string}` | `upload/${string}`;

/** Starts the worker that removes blobs and uploads that no record refers to. */
export function startBlobWorker(deps: BlobWorkerDeps): AsyncDisposable {
  const { registry, workflowArtifacts, clock, logger } = deps;
  const queue = createWorkQueue<Key>({ clock });
  const stops = [
    registry.artifacts.listen(({ type, row, previous }) => {
      if (previous?.status.digest !== undefined) queue.add(`blob/${previous.status.digest}`);
      if (type === 'removed') queue.add(`upload/${row.id}`);
    }),
    registry.jobs.listen(({ previous }) => {
      for (const digest of [previous?.status.requestDigest, previous?.status.resultDigest])
        if (digest !== undefined) queue.add(`blob/${digest}`);
    }),
    workflowArtifacts?.listen(({ previous }) => {
      if (previous !== undefined) queue.add(`blob/${previous.spec.digest}`);
    }),
    registry.orders.listen(({ previous }) => {
      for (const digest of [previous?.status.logDigest, previous?.status.workflowDigest])
        if (digest !== undefined) queue.add(`blob/${digest}`);
    }),
  ];
  void addAll(deps, key => queue.add(key, { priority: relistPriority })).catch((error: unknown) =>
    logger.warn('blobs could not be listed; those without records stay until the next start', { error }),
  );
  const workers = runWorkers({
    name: 'orders-blobs',
    queue,
    work: async (key): Promise<WorkResult> => {
      await removeUnused(deps, key);
      return 'done';
    },
    onFailure: ({ key, error }) => logger.warn('a blob could not be removed', { blob: key, error: error.message }),
  });
  return {
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop?.();
      await workers[Symbol.asyncDispose]();
    },
  };
}

async function addAll({ blobs, uploads }: BlobWorkerDeps, add: (key: Key) => void): Promise<void> {
  for (const id of await uploads.ids()) add(`upload/${id}`);
  for await (const digest of blobs.digests()) add(`blob/${digest}`);
}

async function removeUnused(deps: BlobWorkerDeps, key: Key): Promise<void> {
  const { registry, blobs, uploads, blobLocks } = deps;
  const [store = '', name = ''] = key.split('/');
  if (store === 'blob')
    return blobLocks.run(name, async () => {
      if (!isReferenced(deps, name)) await blobs.remove(name);
    });
  const row = registry.artifacts.get(name);
  if (row === undefined || !isUnfinished(row)) await uploads.remove(name);
}

/** Whether a record has the digest. */
function isReferenced({ registry, workflowArtifacts }: BlobWorkerDeps, digest: string): boolean {
  const { artifacts, jobs, orders } = registry;
  const ofOrders = artifacts.count('digest', digest) + jobs.count('digest', digest) + orders.count('digest', digest);
  return ofOrders + (workflowArtifacts?.count('digest', digest) ?? 0) > 0;
}
