import type { RowChange } from '../../model/rows.ts';
import { isSettled } from './broker-work.ts';

type KnownRow = Parameters<typeof isSettled>[0] & { readonly id: string };

/**
 * The last settled state of rows that were changed through the Kubernetes API, which platforms still know and the row
 * itself no longer has. Collected from changes; after a restart the current row is used instead.
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
