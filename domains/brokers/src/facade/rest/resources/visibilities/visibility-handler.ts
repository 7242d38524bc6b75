import type { VisibilityActions } from '../../../../actions/visibility-actions.ts';
import { applyLabelChanges, parseLabels } from '../../../../model/query/labels.ts';
import { visibilityView } from '../../../../model/resources/visibilities.ts';
import type { VisibilityRow } from '../../../../model/rows.ts';
import type { BrokerSettings } from '../../../../settings.ts';
import type { HandlerDeps, QueryField, SmRequest, SmResponse } from '../../resource-handler.ts';
import type { RestHandler } from '../../routes/any-handler.ts';
import { optionalText, requiredText } from '../../shared/body-fields.ts';
import { withoutUndefined } from '../../shared/body-rules.ts';
import { commonFields, textField } from '../../shared/common-fields.ts';
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
    fields: visibilityFields,
    view: visibilityView,
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
    planId: requiredText(body, 'service_plan_id'),
    platformId: optionalText(body, 'platform_id'),
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
    planId: body['service_plan_id'] === undefined ? undefined : requiredText(body, 'service_plan_id'),
    platformId: body['platform_id'] === null ? null : optionalText(body, 'platform_id'),
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

const visibilityFields: Readonly<Record<string, QueryField<VisibilityRow>>> = {
  ...commonFields,
  platform_id: { ...textField(({ spec }) => spec.platformId ?? '', 'platformId'), nullAs: '' },
  service_plan_id: textField(({ spec }) => spec.planId, 'planId'),
};
