import type { RowChange } from '../../model/rows.ts';
import { isSettled } from './broker-work.ts';

type KnownRow = Parameters<typeof isSettled>[0] & { readonly id: string };

/**
 * What platforms know of rows that were changed by hand and are not settled yet: the last settled state, which the row
 * itself has lost. Remembered from what is heard; after a restart the row as it is must do.
 */
export class LastSettledStates<R extends KnownRow> {
  readonly #states = new Map<string, R>();

  observe({ type, row, previous }: RowChange<R>): void {
    if (type === 'removed' || isSettled(row)) this.#states.delete(row.id);
    else if (previous !== undefined && isSettled(previous)) this.#states.set(row.id, previous);
  }

  get(id: string): R | undefined {
    return this.#states.get(id);
  }
}
