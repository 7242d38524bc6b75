import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { commitAnew } from '@chandlery/registry';
import { guardContent } from '../../actions/guard-content.ts';
import {
  createRow,
  removeRow,
  updateRow,
  type WorkflowRegistry,
  type WorkflowWrite,
} from '../../registry/workflows/workflow-registry.ts';
import type { ArtifactBytes, ArtifactStore, WorkflowIdentity } from '../../workflow-ports.ts';

/** Artifacts of workflows: a row by namespace and key, and its bytes in the blob store. */
export class BlobArtifactStore implements ArtifactStore {
  readonly #registry: WorkflowRegistry;
  readonly #bytes: ArtifactBytes;

  constructor(registry: WorkflowRegistry, bytes: ArtifactBytes) {
    this.#registry = registry;
    this.#bytes = bytes;
  }

  async put(workflow: WorkflowIdentity, key: string, file: string): Promise<void> {
    const { blobs, blobLocks, maxBytes } = this.#bytes;
    using reservation = this.#bytes.reserve(workflow.namespace, 0);
    const content = createReadStream(file) as AsyncIterable<Uint8Array>;
    await using staged = await blobs.stage(guardContent(content, { maxBytes, reservation }));
    const { digest, size } = staged;
    // Awaited here: bytes are discarded and released when this function ends.
    await blobLocks.run(digest, async () => {
      await staged.keep();
      await commitAnew(this.#registry, () => [this.#write(workflow, { key, digest, size })]);
    });
  }

  async fetch(namespace: string, key: string, file: string): Promise<boolean> {
    const row = this.#registry.artifacts.get(rowId(namespace, key));
    if (row === undefined) return false;
    await pipeline(this.#bytes.blobs.read(row.spec.digest), createWriteStream(file, { flags: 'wx', mode: 0o644 }));
    return true;
  }

  /** Who removes blobs that nothing refers to follows the rows. */
  async remove(workflowUid: string): Promise<void> {
    const { artifacts } = this.#registry;
    await commitAnew(this.#registry, () =>
      [...artifacts.by('workflow', workflowUid)].map(row => removeRow('artifacts', row)),
    );
  }

  #write(
    { uid, namespace }: WorkflowIdentity,
    stored: { readonly key: string; readonly digest: string; readonly size: number },
  ): WorkflowWrite {
    const id = rowId(namespace, stored.key);
    const row = this.#registry.artifacts.get(id);
    const spec = { workflow: uid, ...stored };
    return row === undefined
      ? createRow({ table: 'artifacts', id, tenant: namespace, spec })
      : updateRow({ table: 'artifacts', row, spec });
  }
}

/** Keys are the users', and longer than names of objects may be. */
const rowId = (namespace: string, key: string): string =>
  createHash('sha256').update(`${namespace}\0${key}`).digest('hex');
