import { commitAnew } from '@chandlery/registry';
import { recordNotFound } from '../../errors.ts';
import type { JobEvent } from '../../kinds/index.ts';
import { urnOf } from '../../model/urns.ts';
import type { JobRow, OrdersRegistry } from '../../registry/orders-registry.ts';
import { updateRow } from '../../registry/orders-registry.ts';
import type { ActionDeps } from '../action-deps.ts';
import { eventWrites } from '../orders/move-order.ts';
import { keepContent } from './keep-content.ts';

/** What a service returns for a job. */
export interface JobResult {
  readonly contentType: string;
  readonly content: Uint8Array;
  /** It is the description of an error. */
  readonly isError: boolean;
}

type Deps = Pick<ActionDeps, 'registry' | 'blobs' | 'blobLocks'>;

/** The event by which a service reports that it rejects a request. */
export const rejectionPrefix = 'The service returned an error';

/** Records what a service returned for a job. The first result counts: services repeat a request whose response was lost. */
export async function recordResult(
  deps: Deps,
  id: string,
  { contentType, content, isError }: JobResult,
): Promise<void> {
  const { registry } = deps;
  await keepContent(deps, { content }, kept =>
    commitAnew(registry, () => {
      const row = jobRow(registry, id);
      if (row.status.resultContentType !== undefined) return [];
      const status = {
        ...row.status,
        resultContentType: contentType,
        resultSize: kept.size,
        ...(kept.content !== undefined && { resultContent: kept.content }),
        ...(kept.digest !== undefined && { resultDigest: kept.digest }),
        ...(isError && { errorMessage: rejectionPrefix }),
      };
      return [updateRow({ table: 'jobs', row, status })];
    }),
  );
}

/** Adds an event that a service reports about its job. */
export async function recordEvent(
  { registry }: Pick<Deps, 'registry'>,
  id: string,
  { schema, source, data }: Pick<JobEvent['spec'], 'data'> & { readonly schema?: string; readonly source?: string },
): Promise<void> {
  await commitAnew(registry, () => {
    const job = jobRow(registry, id);
    const event = { type: 'ivcap.job.event', data, ...(schema && { schema }), ...(source && { source }) };
    return eventWrites(registry, { job, status: job.status }, event);
  });
}

/** Returns a job. Throws `not-found`. */
export function jobRow({ jobs }: Pick<OrdersRegistry, 'jobs'>, id: string): JobRow {
  const row = jobs.get(id);
  if (row === undefined) throw recordNotFound(urnOf('job', id));
  return row;
}
