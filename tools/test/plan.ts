/** Test files that share a process. */
export type Batch = readonly string[];

/** Tests of whole processes live here; each file gets a process of its own. */
const isIsolated = (file: string): boolean => file.startsWith('test/');

/**
 * Decides which files run together: unit tests spread over `processes` shared processes, because starting one per file
 * costs more than most of them take; each file below `test/` alone.
 */
export function planBatches(files: readonly string[], processes: number): Batch[] {
  const shared = files.filter(file => !isIsolated(file));
  const spread = Array.from({ length: processes }, (_, index) =>
    shared.filter((_file, at) => at % processes === index),
  );
  return [...spread.filter(batch => batch.length > 0), ...files.filter(isIsolated).map(file => [file])];
}
