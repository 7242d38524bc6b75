import type { BindingRow } from '../../../../model/rows.ts';
import type { ResourceHandler, SmAnswer } from '../../resource-handler.ts';
import { checkForce, type Removal } from '../../shared/check-force.ts';
import type { InstanceNeeds } from '../../shared/instance-deps.ts';
import { resourcePaths } from '../../shared/order-operation.ts';
import { bindingParameters } from '../instances/instance-parameters.ts';
import { checkMayRemove } from '../instances/remove-instance.ts';
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
