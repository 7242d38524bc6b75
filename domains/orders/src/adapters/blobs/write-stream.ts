import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes all chunks at the end of an open file. Returns the bytes that were written. */
export async function writeAll(
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void = () => undefined,
): Promise<number> {
  let size = 0;
  for await (const chunk of content) {
    onChunk(chunk);
    let written = 0;
    while (written < chunk.length) written += (await file.write(chunk, written)).bytesWritten;
    size += chunk.length;
  }
  return size;
}

/** Makes the names in the folder of a file durable. */
export async function syncFolderOf(path: string): Promise<void> {
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}
