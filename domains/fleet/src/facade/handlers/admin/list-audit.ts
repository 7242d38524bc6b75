import { Pace } from '@chandlery/platform';
import { sortInSteps } from '../../../model/search/sort-in-steps.ts';
import type { AuditRow } from '../../../registry/fleet-registry.ts';
import { type FleetResponse, ok, type ProductCall, withoutEmpty } from '../call.ts';
import type { FacadeTables } from '../facade-deps.ts';
import { listEnvelope, offsetOf, readPaging } from '../lists/paging.ts';

/** Lists the calls of a product's admin API, the newest first. */
export async function listAudit(
  call: ProductCall,
  { auditEntries }: Pick<FacadeTables, 'auditEntries'>,
): Promise<FleetResponse> {
  const paging = readPaging(call.query);
  const rows = [...auditEntries.by('product', call.product.row.id)];
  const sorted = await new Pace().run(sortInSteps(rows, newestFirst));
  const start = offsetOf(paging);
  const items = sorted.slice(start, start + paging.size).map(presentEntry);
  return ok(listEnvelope('AuditEntryList', { page: paging.page, total: rows.length, items }));
}

/** Rows of one moment in the order in which they were written. */
function newestFirst(one: AuditRow, other: AuditRow): number {
  if (one.spec.at !== other.spec.at) return one.spec.at < other.spec.at ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}

const presentEntry = ({ id, spec }: AuditRow): object => ({
  id,
  kind: 'AuditEntry',
  username: spec.username,
  method: spec.method,
  url: spec.url,
  ...withoutEmpty({ body: spec.body }),
  remote_address: spec.remoteAddress,
  status_code: spec.statusCode,
  at: spec.at,
});
