import type { BindingRow } from '../../../registry/registry.ts';
import { checkForce, type Removal } from '../instances/check-force.ts';
import type { InstanceNeeds } from '../instances/handler-needs.ts';
import { bindingParameters } from '../instances/instance-parameters.ts';
import { resourcePaths } from '../instances/order-operation.ts';
import { checkMayRemove } from '../instances/remove-instance.ts';
import type { ResourceHandler, SmAnswer } from '../resource-handler.ts';
import { bindingFields, bindingView } from './binding-view.ts';
import { createBinding } from './create-binding.ts';
import { patchBinding } from './patch-binding.ts';
import { removeBinding } from './remove-binding.ts';

/** `/v1/service_bindings`. */
export function createBindingHandler(needs: InstanceNeeds): ResourceHandler<'bindings'> {
  return {
    table: 'bindings',
    path: resourcePaths.bindings,
    noun: 'service binding',
    plural: 'servicebindings',
    isAsync: true,
    hasBulkDelete: false,
    hasCascade: true,
    fields: bindingFields,
    view: (row, context) => bindingView(needs.registry, row, context),
    create: request => createBinding(needs, request),
    patch: (row, request) => patchBinding(needs, row, request),
    remove: (row, request) => remove(needs, row, request),
    parameters: (row, request) => bindingParameters(needs, row, request),
  };
}

async function remove(needs: InstanceNeeds, row: BindingRow, request: Removal): Promise<SmAnswer> {
  checkForce(request);
  if (!request.isCascade) return removeBinding(needs, row, request);
  checkMayRemove(needs.registry.instances.get(row.spec.instanceId), request);
  return needs.startCascade({ table: 'bindings', row }, request);
}
