import { instanceResource, instanceView } from '../../../../model/resources/instances.ts';
import { queryFieldsOf } from '../../../../model/resources/resource.ts';
import type { InstanceRow } from '../../../../model/rows.ts';
import type { ResourceHandler, SmResponse } from '../../resource-handler.ts';
import { checkForce, type Removal } from '../../shared/check-force.ts';
import type { InstanceDeps } from '../../shared/instance-deps.ts';
import { resourcePaths } from '../../shared/order-operation.ts';
import { createInstance } from './create-instance.ts';
import { importInstance } from './import-instance.ts';
import { instanceParameters } from './instance-parameters.ts';
import { patchInstance } from './patch-instance.ts';
import { checkMayRemove, removeInstance } from './remove-instance.ts';

/** `/v1/service_instances`. */
export function createInstanceHandler(deps: InstanceDeps): ResourceHandler<'instances'> {
  return {
    table: 'instances',
    path: resourcePaths.instances,
    noun: 'service instance',
    plural: 'serviceinstances',
    isAsync: true,
    hasBulkDelete: false,
    hasCascade: true,
    fields: queryFieldsOf(instanceResource),
    view: instanceView,
    create: request => createInstance(deps, request),
    patch: (row, request) => patchInstance(deps, row, request),
    remove: (row, request) => remove(deps, row, request),
    parameters: (row, request) => instanceParameters(deps, row, request),
    actions: { import: request => importInstance(deps, request) },
  };
}

async function remove(deps: InstanceDeps, row: InstanceRow, request: Removal): Promise<SmResponse> {
  checkForce(request);
  if (!request.isCascade) return removeInstance(deps, row, request);
  checkMayRemove(row, request);
  return deps.startCascade({ table: 'instances', row }, request);
}
