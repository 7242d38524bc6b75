import { bindingResource } from '../../../../model/resources/bindings.ts';
import { queryFieldsOf } from '../../../../model/resources/resource.ts';
import type { BindingRow } from '../../../../model/rows.ts';
import type { ResourceHandler, SmResponse } from '../../resource-handler.ts';
import { checkForce, type Removal } from '../../shared/check-force.ts';
import type { InstanceDeps } from '../../shared/instance-deps.ts';
import { resourcePaths } from '../../shared/order-operation.ts';
import { bindingParameters } from '../instances/instance-parameters.ts';
import { checkMayRemove } from '../instances/remove-instance.ts';
import { createBinding } from './create-binding.ts';
import { patchBinding } from './patch-binding.ts';
import { removeBinding } from './remove-binding.ts';
import { showBinding } from './show-binding.ts';

/** `/v1/service_bindings`. */
export function createBindingHandler(deps: InstanceDeps): ResourceHandler<'bindings'> {
  return {
    table: 'bindings',
    path: resourcePaths.bindings,
    noun: 'service binding',
    plural: 'servicebindings',
    isAsync: true,
    hasBulkDelete: false,
    hasCascade: true,
    fields: queryFieldsOf(bindingResource),
    view: (row, context) => showBinding(deps.registry, row, context),
    create: request => createBinding(deps, request),
    patch: (row, request) => patchBinding(deps, row, request),
    remove: (row, request) => remove(deps, row, request),
    parameters: (row, request) => bindingParameters(deps, row, request),
  };
}

async function remove(deps: InstanceDeps, row: BindingRow, request: Removal): Promise<SmResponse> {
  checkForce(request);
  if (!request.isCascade) return removeBinding(deps, row, request);
  checkMayRemove(deps.registry.instances.get(row.spec.instanceId), request);
  return deps.startCascade({ table: 'bindings', row }, request);
}
