import { notFound, smError } from '../../../../errors.ts';
import { checkConcurrency } from '../../../../model/operations/check-concurrency.ts';
import { lastOperationOf } from '../../../../model/operations/last-operation.ts';
import { applyLabelChanges } from '../../../../model/query/labels.ts';
import { requiredName, withoutIgnored } from '../../../../model/resources/body-fields.ts';
import type { BindingRow, Registry } from '../../../../model/rows.ts';
import { isOperatedHere } from '../../../../model/sharing/owner.ts';
import type { SmRequest, SmResponse } from '../../resource-handler.ts';
import type { InstanceDeps } from '../../shared/instance-deps.ts';
import { operationRecord } from '../../shared/operation-record.ts';
import { resourcePaths } from '../../shared/order-operation.ts';
import { checkBindingName } from '../../shared/unique-name.ts';
import { updateBindingHere } from '../../shared/update-here.ts';

const ignored = ['id', 'created_at', 'updated_at', 'ready', 'context', 'last_operation'];

/** Changes the name and the labels of a binding, without calling the broker. */
export async function patchBinding(deps: InstanceDeps, row: BindingRow, request: SmRequest): Promise<SmResponse> {
  checkBody(request);
  await commitPatch(deps, row, request);
  return { type: 'row', id: row.id };
}

function checkBody({ mode, body }: SmRequest): void {
  if (mode === 'async') throw smError('InvalidRequest', "requested api doesn't support asynchronous operations");
  const { name: _, labels: _labels, ...others } = withoutIgnored(body, ignored);
  const [field] = Object.keys(others);
  if (field !== undefined) throw smError('BadRequest', 'only name and labels of a binding can be changed', { field });
}

async function commitPatch({ registry, settings }: InstanceDeps, row: BindingRow, request: SmRequest): Promise<void> {
  const name = request.body['name'] === undefined ? row.spec.name : requiredName(request.body);
  if (name !== row.spec.name && name !== undefined) checkRename(registry, row, name);
  checkConcurrency(lastOperationOf(registry, resourcePaths.bindings, row.id), 'update');
  const labels = applyLabelChanges(row.spec.labels, request.body['labels'], settings.protectedLabels);
  const spec = { ...row.spec, ...(name === undefined ? {} : { name }), labels: labels as Record<string, string[]> };
  const { id: resourceId, tenant } = row;
  const subject = { type: 'update', resourceType: resourcePaths.bindings, resourceId, tenant } as const;
  const { write } = operationRecord(registry, request, subject);
  await registry.commit([updateBindingHere(row, spec), write]);
}

/** Bindings of another platform have that platform's names. */
function checkRename(registry: Registry, row: BindingRow, name: string): void {
  const instance = registry.instances.get(row.spec.instanceId);
  if (instance !== undefined && !isOperatedHere(instance)) throw notFound('service binding');
  checkBindingName(registry, name, { instance: { id: row.spec.instanceId, tenant: row.tenant }, except: row.id });
}
