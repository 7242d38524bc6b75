import { toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { failOperation, succeedOperation } from '../../../../model/operations/operation-end.ts';
import type { OperationRow, Registry, RegistryWrite } from '../../../../model/rows.ts';
import { toSmError } from '../../../shared/render-error.ts';
import type { SmRequest, SmResponse } from '../../resource-handler.ts';
import { operationRecord } from '../../shared/operation-record.ts';

interface Job {
  readonly subject: { readonly type: 'update' | 'delete'; readonly resourceType: string; readonly resourceId: string };
  /** Commits `extra`, the good end of the operation, with what it does. */
  readonly work: (extra: readonly RegistryWrite[]) => Promise<void>;
}

/** Commits the operation, responds, and then does the work. The operation records how it ended. */
export async function inBackground(
  { registry, logger }: { readonly registry: Registry; readonly logger: Logger },
  request: SmRequest,
  { subject, work }: Job,
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
