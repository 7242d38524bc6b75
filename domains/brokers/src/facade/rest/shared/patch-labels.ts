import { smError } from '../../../errors.ts';
import { applyLabelChanges } from '../../../model/query/labels.ts';
import { type OfferingRow, type PlanRow, updateRow } from '../../../model/rows.ts';
import type { BrokerSettings } from '../../../settings.ts';
import type { HandlerNeeds, SmAnswer, SmRequest } from '../resource-handler.ts';
import { recordOf } from './operation-record.ts';

/** What offerings and plans need. */
export interface CatalogNeeds extends HandlerNeeds {
  readonly settings: Pick<BrokerSettings, 'protectedLabels' | 'disabledQueryParameters'>;
}

/** An entry of the catalogue, of either table. */
export type CatalogEntry =
  | { readonly table: 'offerings'; readonly path: string; readonly row: OfferingRow }
  | { readonly table: 'plans'; readonly path: string; readonly row: PlanRow };

/** Changes the labels of an offering or a plan. Everything else is its broker's word. */
export async function patchLabels(
  { registry, settings }: CatalogNeeds,
  entry: CatalogEntry,
  request: SmRequest,
): Promise<SmAnswer> {
  const { body } = request;
  if (Object.keys(body).some(field => field !== 'labels'))
    throw smError('BadRequest', 'Only labels can be patched: the rest is what the broker says');
  const { row, path } = entry;
  const labels = applyLabelChanges(row.spec.labels, body['labels'], settings.protectedLabels) as Record<
    string,
    string[]
  >;
  const { write } = recordOf(registry, request, { type: 'update', resourceType: path, resourceId: row.id });
  const update =
    entry.table === 'offerings'
      ? updateRow({ table: entry.table, row: entry.row, spec: { ...entry.row.spec, labels } })
      : updateRow({ table: entry.table, row: entry.row, spec: { ...entry.row.spec, labels } });
  await registry.commit([update, write]);
  return { type: 'row', id: row.id };
}

/** Throws `NotImplemented` for a query parameter that is switched off. */
export function refuseDisabled({ settings }: CatalogNeeds, query: URLSearchParams): void {
  const refused = settings.disabledQueryParameters.find(name => query.has(name));
  if (refused !== undefined)
    throw smError('NotImplemented', `the query parameter ${refused} is not supported`, { field: refused });
}
