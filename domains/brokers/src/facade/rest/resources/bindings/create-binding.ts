import type { JsonObject } from '@chandlery/api';
import { type Labels, parseLabels } from '../../../../model/query/labels.ts';
import {
  optionalObject,
  optionalText,
  rejectFields,
  requiredName,
  requiredText,
} from '../../../../model/resources/body-fields.ts';
import { checkRow, createRow, type InstanceRow } from '../../../../model/rows.ts';
import type { SmRequest, SmResponse } from '../../resource-handler.ts';
import type { InstanceDeps } from '../../shared/instance-deps.ts';
import { orderOperation } from '../../shared/order-operation.ts';
import { respondByMode } from '../../shared/respond-by-mode.ts';
import { checkBindingName } from '../../shared/unique-name.ts';
import { checkConsumer, checkPredecessor, findBindableInstance } from './bindable-instance.ts';

/** What a body asks for. */
interface NewBinding {
  readonly name: string;
  readonly instanceId: string;
  readonly parameters?: JsonObject;
  readonly bindResource?: JsonObject;
  /** The binding whose successor it becomes; that one stays until it is deleted. */
  readonly predecessorId?: string;
  readonly labels: Labels;
}

/** Makes a binding of an instance of the own platform: the row and its operation at once, the rest is the engine's. */
export async function createBinding(deps: InstanceDeps, request: SmRequest): Promise<SmResponse> {
  const wanted = readNewBinding(request.body, deps);
  const { operationId, id } = await commitBinding(deps, request, wanted);
  return respondByMode(deps.registry, request, { operationId, resourceId: id, done: { type: 'row', id } });
}

function readNewBinding(body: JsonObject, { settings }: InstanceDeps): NewBinding {
  rejectFields(body, ['id']);
  const parameters = optionalObject(body, 'parameters');
  const bindResource = optionalObject(body, 'bind_resource');
  const predecessorId = optionalText(body, 'predecessor_binding_id');
  return {
    name: requiredName(body),
    instanceId: requiredText(body, 'service_instance_id'),
    labels: parseLabels(body['labels'], settings.protectedLabels),
    ...(parameters === undefined ? {} : { parameters }),
    ...(bindResource === undefined ? {} : { bindResource }),
    ...(predecessorId === undefined ? {} : { predecessorId }),
  };
}

async function commitBinding({ registry }: InstanceDeps, request: SmRequest, wanted: NewBinding) {
  const instance = findBindableInstance(registry, wanted.instanceId, request);
  if (wanted.predecessorId !== undefined) checkPredecessor(registry, instance, wanted.predecessorId);
  checkConsumer(registry, instance, wanted.bindResource);
  checkBindingName(registry, wanted.name, { instance });
  const id = registry.newId();
  const { parameters } = wanted;
  const order = { type: 'create', table: 'bindings', resourceId: id, tenant: instance.tenant } as const;
  const operation = orderOperation(registry, request, {
    ...order,
    ...(parameters === undefined ? {} : { parameters }),
  });
  await registry.commit([
    createRow({
      table: 'bindings',
      id,
      tenant: instance.tenant,
      spec: specOf(wanted, instance),
      status: { ready: false },
    }),
    // An instance whose deletion begins meanwhile has no new bindings.
    checkRow('instances', instance),
    ...operation.writes,
  ]);
  return { operationId: operation.id, id };
}

const specOf = (wanted: NewBinding, instance: InstanceRow) => ({
  name: wanted.name,
  instanceId: instance.id,
  ...(wanted.bindResource === undefined ? {} : { bindResource: wanted.bindResource }),
  ...(wanted.predecessorId === undefined ? {} : { predecessorId: wanted.predecessorId }),
  ...(Object.keys(wanted.labels).length > 0 && { labels: wanted.labels as Record<string, string[]> }),
});
