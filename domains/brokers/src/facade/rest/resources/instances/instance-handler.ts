import type { InstanceRow } from '../../../../model/rows.ts';
import type { ResourceHandler, SmAnswer } from '../../resource-handler.ts';
import { checkForce, type Removal } from '../../shared/check-force.ts';
import type { InstanceNeeds } from '../../shared/instance-deps.ts';
import { resourcePaths } from '../../shared/order-operation.ts';
import { createInstance } from './create-instance.ts';
import { importInstance } from './import-instance.ts';
import { instanceParameters } from './instance-parameters.ts';
import { instanceFields, instanceView } from './instance-view.ts';
import { patchInstance } from './patch-instance.ts';
import { checkMayRemove, removeInstance } from './remove-instance.ts';

/** `/v1/service_instances`. */
export function createInstanceHandler(needs: InstanceNeeds): ResourceHandler<'instances'> {
  return {
    table: 'instances',
    path: resourcePaths.instances,
    noun: 'service instance',
    plural: 'serviceinstances',
    isAsync: true,
    hasBulkDelete: false,
    hasCascade: true,
    fields: instanceFields,
    view: instanceView,
    create: request => createInstance(needs, request),
    patch: (row, request) => patchInstance(needs, row, request),
    remove: (row, request) => remove(needs, row, request),
    parameters: (row, request) => instanceParameters(needs, row, request),
    actions: { import: request => importInstance(needs, request) },
  };
}

async function remove(needs: InstanceNeeds, row: InstanceRow, request: Removal): Promise<SmAnswer> {
  checkForce(request);
  if (!request.isCascade) return removeInstance(needs, row, request);
  checkMayRemove(row, request);
  return needs.startCascade({ table: 'instances', row }, request);
}
