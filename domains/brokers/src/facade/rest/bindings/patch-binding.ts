import { checkConcurrency } from '../../../model/concurrency/check-concurrency.ts';
import { applyLabelChanges } from '../../../model/labels/labels.ts';
import { isOperatedHere } from '../../../model/sharing/owner.ts';
import { notFound, smError } from '../../../model/sm-error.ts';
import { lastOperationOf } from '../../../registry/last-operation.ts';
import type { BindingRow, Registry } from '../../../registry/registry.ts';
import { recordOf } from '../handlers/record.ts';
import { requiredName, withoutIgnored } from '../instances/body-fields.ts';
import type { InstanceNeeds } from '../instances/handler-needs.ts';
import { resourcePaths } from '../instances/order-operation.ts';
import { checkBindingName } from '../instances/unique-name.ts';
import { updateBindingHere } from '../instances/update-here.ts';
import type { SmAnswer, SmRequest } from '../resource-handler.ts';

const ignored = ['id', 'created_at', 'updated_at', 'ready', 'context', 'last_operation'];

/** Changes the name and the labels of a binding; brokers never hear of it. */
export async function patchBinding(needs: InstanceNeeds, row: BindingRow, request: SmRequest): Promise<SmAnswer> {
  checkBody(request);
  await commitPatch(needs, row, request);
  return { type: 'row', id: row.id };
}

function checkBody({ mode, body }: SmRequest): void {
  if (mode === 'async') throw smError('InvalidRequest', "requested api doesn't support asynchronous operations");
  const { name: _, labels: _labels, ...others } = withoutIgnored(body, ignored);
  const [field] = Object.keys(others);
  if (field !== undefined) throw smError('BadRequest', 'only name and labels of a binding can be changed', { field });
}

async function commitPatch({ registry, settings }: InstanceNeeds, row: BindingRow, request: SmRequest): Promise<void> {
  const name = request.body['name'] === undefined ? row.spec.name : requiredName(request.body);
  if (name !== row.spec.name && name !== undefined) checkRename(registry, row, name);
  checkConcurrency(lastOperationOf(registry, resourcePaths.bindings, row.id), 'update');
  const labels = applyLabelChanges(row.spec.labels, request.body['labels'], settings.protectedLabels);
  const spec = { ...row.spec, ...(name !== undefined && { name }), labels: labels as Record<string, string[]> };
  const { id: resourceId, tenant } = row;
  const subject = { type: 'update', resourceType: resourcePaths.bindings, resourceId, tenant } as const;
  const { write } = recordOf(registry, request, subject);
  await registry.commit([updateBindingHere(row, spec), write]);
}

/** Bindings of another platform have that platform's names. */
function checkRename(registry: Registry, row: BindingRow, name: string): void {
  const instance = registry.instances.get(row.spec.instanceId);
  if (instance !== undefined && !isOperatedHere(instance)) throw notFound('service binding');
  checkBindingName(registry, name, { instance: { id: row.spec.instanceId, tenant: row.tenant }, except: row.id });
}
