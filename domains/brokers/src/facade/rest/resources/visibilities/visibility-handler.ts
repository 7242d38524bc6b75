import type { VisibilityActions } from '../../../../actions/visibility-actions.ts';
import type { NewVisibility, VisibilityChange } from '../../../../actions/visibility-spec.ts';
import { withoutUndefined } from '../../../../model/json.ts';
import { applyLabelChanges, parseLabels } from '../../../../model/query/labels.ts';
import { optionalText } from '../../../../model/resources/body-fields.ts';
import { queryFieldsOf, readCreate, readPatch } from '../../../../model/resources/resource.ts';
import { visibilityResource, visibilityView } from '../../../../model/resources/visibilities.ts';
import type { VisibilityRow } from '../../../../model/rows.ts';
import type { BrokerSettings } from '../../../../settings.ts';
import type { HandlerDeps, SmRequest, SmResponse } from '../../resource-handler.ts';
import type { RestHandler } from '../../routes/any-handler.ts';
import { operationRecord } from '../../shared/operation-record.ts';

/** What visibilities need. */
export interface VisibilityDeps extends HandlerDeps {
  readonly visibilityActions: VisibilityActions;
  readonly settings: Pick<BrokerSettings, 'protectedLabels'>;
}

const resourceType = '/v1/visibilities';

/** Visibilities: which plan may be used on which platform. */
export function createVisibilityHandler(deps: VisibilityDeps): RestHandler<'visibilities'> {
  return {
    table: 'visibilities',
    path: resourceType,
    noun: 'visibility',
    plural: 'visibilities',
    isAsync: false,
    hasBulkDelete: true,
    hasCascade: false,
    fields: queryFieldsOf(visibilityResource),
    view: visibilityView,
    // Clients of this API expect the visibilities that they have made.
    narrowUnfiltered: () => [{ index: 'origin', values: ['registered'] }],
    create: request => createVisibility(deps, request),
    patch: (row, request) => patchVisibility(deps, row, request),
    remove: (row, request) => removeVisibility(deps, row, request),
  };
}

async function createVisibility(deps: VisibilityDeps, request: SmRequest): Promise<SmResponse> {
  const { registry, visibilityActions, settings } = deps;
  const { body, tenant, correlationId } = request;
  const id = optionalText(body, 'id') ?? registry.newId();
  const { write } = operationRecord(registry, request, { type: 'create', resourceType, resourceId: id });
  const wanted = withoutUndefined({
    tenant,
    id,
    ...(readCreate(visibilityResource, body) as Pick<NewVisibility, 'planId'>),
    labels: parseLabels(body['labels'], settings.protectedLabels),
    correlationId,
  });
  await visibilityActions.create(wanted, [write]);
  return { type: 'row', id };
}

async function patchVisibility(deps: VisibilityDeps, row: VisibilityRow, request: SmRequest): Promise<SmResponse> {
  const { registry, visibilityActions, settings } = deps;
  const { body, correlationId } = request;
  const { labels } = body;
  const { write } = operationRecord(registry, request, { type: 'update', resourceType, resourceId: row.id });
  const change = withoutUndefined({
    ...(readPatch(visibilityResource, body) as Pick<VisibilityChange, 'planId' | 'platformId'>),
    labels: (current: Readonly<Record<string, readonly string[]>>) =>
      applyLabelChanges(current, labels, settings.protectedLabels),
    correlationId,
  });
  await visibilityActions.update(row, change, [write]);
  return { type: 'row', id: row.id };
}

async function removeVisibility(deps: VisibilityDeps, row: VisibilityRow, request: SmRequest): Promise<SmResponse> {
  const { registry, visibilityActions } = deps;
  const { correlationId } = request;
  const { write } = operationRecord(registry, request, { type: 'delete', resourceType, resourceId: row.id });
  await visibilityActions.remove(row, [write], { correlationId });
  return { type: 'document', body: {} };
}
