import type { BlobStore } from '../../ports.ts';

/** Moves all blobs from one store to another. Can be repeated after a failure. */
export async function moveBlobs(from: BlobStore, to: BlobStore): Promise<void> {
  for await (const digest of from.digests()) {
    if (!(await to.has(digest))) {
      await using staged = await to.stage(from.read(digest));
      await staged.keep();
    }
    await from.remove(digest);
  }
}
