import { smError } from '../../../errors.ts';
import { applyLabelChanges } from '../../../model/query/labels.ts';
import { type OfferingRow, type PlanRow, updateRow } from '../../../model/rows.ts';
import type { BrokerSettings } from '../../../settings.ts';
import type { HandlerDeps, SmRequest, SmResponse } from '../resource-handler.ts';
import { operationRecord } from './operation-record.ts';

/** What offerings and plans need. */
export interface CatalogDeps extends HandlerDeps {
  readonly settings: Pick<BrokerSettings, 'protectedLabels' | 'disabledQueryParameters' | 'ownPlatformTypes'>;
}

/** An entry of the catalogue, of either table. */
export type CatalogEntry =
  | { readonly table: 'offerings'; readonly path: string; readonly row: OfferingRow }
  | { readonly table: 'plans'; readonly path: string; readonly row: PlanRow };

/** Changes the labels of an offering or a plan. Everything else is its broker's word. */
export async function patchLabels(
  { registry, settings }: CatalogDeps,
  entry: CatalogEntry,
  request: SmRequest,
): Promise<SmResponse> {
  const { body } = request;
  if (Object.keys(body).some(field => field !== 'labels'))
    throw smError('BadRequest', 'Only labels can be patched: the rest is what the broker says');
  const { row, path } = entry;
  const labels = applyLabelChanges(row.spec.labels, body['labels'], settings.protectedLabels) as Record<
    string,
    string[]
  >;
  const { write } = operationRecord(registry, request, { type: 'update', resourceType: path, resourceId: row.id });
  const update =
    entry.table === 'offerings'
      ? updateRow({ table: entry.table, row: entry.row, spec: { ...entry.row.spec, labels } })
      : updateRow({ table: entry.table, row: entry.row, spec: { ...entry.row.spec, labels } });
  await registry.commit([update, write]);
  return { type: 'row', id: row.id };
}

/** Throws `NotImplemented` for a query parameter that is switched off. */
export function rejectDisabled({ settings }: CatalogDeps, query: URLSearchParams): void {
  const rejected = settings.disabledQueryParameters.find(name => query.has(name));
  if (rejected !== undefined)
    throw smError('NotImplemented', `the query parameter ${rejected} is not supported`, { field: rejected });
}
