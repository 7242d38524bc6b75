import type { JsonObject } from '@chandlery/api';
import { lastOperationOf } from '../../../model/operations/last-operation.ts';
import { lastOperationView } from '../../../model/resources/operations.ts';
import type { OperationRow, Registry } from '../../../model/rows.ts';
import type { ViewContext } from '../resource-handler.ts';
import type { AnyRow, ErasedHandler } from './any-handler.ts';

/** The last operation on a row; operations have none themselves. */
export function lastOperation(handler: ErasedHandler, row: AnyRow, registry: Registry): OperationRow | undefined {
  return handler.table === 'operations' ? undefined : lastOperationOf(registry, handler.path, row.id);
}

/** A resource as it is shown, with its last operation where that is asked for. */
export async function showRow(
  handler: ErasedHandler,
  row: AnyRow,
  { operation, ...context }: ViewContext & { readonly operation: OperationRow | undefined },
): Promise<JsonObject> {
  const view = await handler.view(row, context);
  return operation === undefined ? view : { ...view, last_operation: lastOperationView(operation) };
}
