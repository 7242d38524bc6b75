import type { WorkflowRecord } from '../../kinds/workflows/index.ts';

interface TtlStrategy {
  readonly secondsAfterCompletion?: number;
  readonly secondsAfterSuccess?: number;
  readonly secondsAfterFailure?: number;
}

/** When a completed workflow is to be deleted, in milliseconds since the epoch; undefined: never. */
export function deletionTime({ spec, status = {} }: Pick<WorkflowRecord, 'spec' | 'status'>): number | undefined {
  const { ttlStrategy = {} } = spec as { ttlStrategy?: TtlStrategy };
  const isSuccess = status['phase'] === 'Succeeded';
  const specific = isSuccess ? ttlStrategy.secondsAfterSuccess : ttlStrategy.secondsAfterFailure;
  const seconds = specific ?? ttlStrategy.secondsAfterCompletion;
  const finishedAt = Date.parse(String(status['finishedAt'] ?? ''));
  return seconds === undefined || Number.isNaN(finishedAt) ? undefined : finishedAt + seconds * 1000;
}
