import type { ActionDeps } from '../action-deps.ts';

/** Longer content, and content that is no text, is in the blob store. */
const maxInlineBytes = 64 * 1024;

/** Where content is: in the record itself, or in the blob of a digest. */
export interface KeptContent {
  readonly size: number;
  readonly content?: string;
  readonly digest?: string;
}

/** Stores content and then commits the record that refers to it, so that the blob is not removed in between. */
export async function keepContent(
  { blobs, blobLocks }: Pick<ActionDeps, 'blobs' | 'blobLocks'>,
  { content }: { readonly content: Uint8Array },
  commit: (kept: KeptContent) => Promise<void>,
): Promise<void> {
  const text = content.length <= maxInlineBytes ? decode(content) : undefined;
  if (text !== undefined) return commit({ size: content.length, content: text });
  await using staged = await blobs.stage(once(content));
  const { digest, size } = staged;
  await blobLocks.run(digest, async () => {
    await staged.keep();
    await commit({ size, digest });
  });
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Returns content as bytes. */
export async function* readKept(
  { blobs }: Pick<ActionDeps, 'blobs'>,
  { content, digest }: { readonly content?: string | undefined; readonly digest?: string | undefined },
): AsyncGenerator<Uint8Array> {
  if (content !== undefined) yield Buffer.from(content);
  else if (digest !== undefined) yield* blobs.read(digest);
}
