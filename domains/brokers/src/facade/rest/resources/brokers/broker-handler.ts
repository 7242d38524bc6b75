import { toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import type { BrokerActions } from '../../../../actions/broker-action-types.ts';
import { smError } from '../../../../errors.ts';
import { isLandscapeId } from '../../../../kinds/index.ts';
import { failOperation, succeedOperation } from '../../../../model/operations/operation-end.ts';
import { brokerResource, brokerView } from '../../../../model/resources/brokers.ts';
import { queryFieldsOf } from '../../../../model/resources/resource.ts';
import type { BrokerRow, OperationRow, Registry, RegistryWrite } from '../../../../model/rows.ts';
import type { BrokerSettings } from '../../../../settings.ts';
import { toSmError } from '../../../shared/render-error.ts';
import type { HandlerDeps, SmRequest, SmResponse } from '../../resource-handler.ts';
import type { RestHandler } from '../../routes/any-handler.ts';
import { operationRecord } from '../../shared/operation-record.ts';
import { changeOf, registrationOf } from './broker-body.ts';

/** What brokers need. */
export interface BrokerDeps extends HandlerDeps {
  readonly brokerActions: BrokerActions;
  readonly settings: Pick<BrokerSettings, 'protectedLabels'>;
  readonly logger: Logger;
}

const resourceType = '/v1/service_brokers';

/** Brokers: where services come from. Their credentials are taken and never shown. */
export function createBrokerHandler(deps: BrokerDeps): RestHandler<'brokers'> {
  return {
    table: 'brokers',
    path: resourceType,
    noun: 'service broker',
    plural: 'servicebrokers',
    isAsync: true,
    hasBulkDelete: true,
    hasCascade: false,
    fields: queryFieldsOf(brokerResource),
    view: brokerView,
    // Clients of this API expect the brokers that they have registered.
    narrowUnfiltered: () => [{ index: 'origin', values: ['registered'] }],
    create: request => createBroker(deps, request),
    patch: (row, request) => patchBroker(deps, row, request),
    remove: (row, request) => removeBroker(deps, row, request),
  };
}

/** An asynchronous registration creates a row that is not ready; the broker controller continues it. */
async function createBroker(
  { registry, brokerActions, settings }: BrokerDeps,
  request: SmRequest,
): Promise<SmResponse> {
  const registration = registrationOf(request, settings.protectedLabels);
  if (registration.internal !== undefined && request.caller.type !== 'operator')
    throw smError('Forbidden', 'only operators may offer what the landscape itself has', { field: 'internal' });
  const resourceId = registration.id ?? registry.newId();
  if (isLandscapeId(resourceId))
    throw smError('BadRequest', 'ids that begin with "landscape-" are those of the landscape', { field: 'id' });
  const isLater = request.mode === 'async';
  const subject = { type: 'create', resourceType, resourceId } as const;
  const { id, write } = operationRecord(registry, request, {
    ...subject,
    state: isLater ? 'in progress' : 'succeeded',
  });
  const wanted = { ...registration, id: resourceId };
  if (!isLater) {
    await brokerActions.register(wanted, [write]);
    return { type: 'row', id: resourceId };
  }
  await brokerActions.begin(wanted, [write]);
  return { type: 'accepted', operationId: id, resourceId };
}

/** Every change, also an empty one, fetches the catalog again. */
async function patchBroker(deps: BrokerDeps, row: BrokerRow, request: SmRequest): Promise<SmResponse> {
  const { registry, brokerActions, settings } = deps;
  const change = changeOf(row, request, settings.protectedLabels);
  const subject = { type: 'update', resourceType, resourceId: row.id } as const;
  if (request.mode === 'async')
    return inBackground(deps, request, {
      subject,
      work: async extra => void (await brokerActions.update(row, change, extra)),
    });
  await brokerActions.update(row, change, [operationRecord(registry, request, subject).write]);
  return { type: 'row', id: row.id };
}

async function removeBroker(deps: BrokerDeps, row: BrokerRow, request: SmRequest): Promise<SmResponse> {
  const { registry, brokerActions } = deps;
  const { correlationId } = request;
  const subject = { type: 'delete', resourceType, resourceId: row.id } as const;
  if (request.mode === 'async')
    return inBackground(deps, request, {
      subject,
      work: extra => brokerActions.remove(row, extra, { correlationId }),
    });
  await brokerActions.remove(row, [operationRecord(registry, request, subject).write], { correlationId });
  return { type: 'document', body: {} };
}

interface BackgroundJob {
  readonly subject: { readonly type: 'update' | 'delete'; readonly resourceType: string; readonly resourceId: string };
  /** Commits `extra`, the good end of the operation, with what it does. */
  readonly work: (extra: readonly RegistryWrite[]) => Promise<void>;
}

/** Commits the operation, responds, and then does the work. The operation records how it ended. */
async function inBackground(
  { registry, logger }: { readonly registry: Registry; readonly logger: Logger },
  request: SmRequest,
  { subject, work }: BackgroundJob,
): Promise<SmResponse> {
  const { id, write } = operationRecord(registry, request, { ...subject, state: 'in progress' });
  await registry.commit([write]);
  const operation = registry.operations.get(id) as OperationRow;
  void work(succeedOperation(operation))
    .catch(thrown => registry.commit(failOperation(operation, toSmError(toError(thrown)))))
    .catch((thrown: unknown) =>
      logger.error('could not store the end of an operation', { operation: id, error: thrown }),
    );
  return { type: 'accepted', operationId: id, resourceId: subject.resourceId };
}
