import { isError } from '@chandlery/api/errors';
import { type Damage, storeErrorCodes } from './store.ts';

/** So many different ones are remembered. */
const maxRemembered = 1000;

/** What is known to be wrong with the stored data of an open store. */
export class DamageRecord {
  readonly #onDamage: (damage: Damage) => void;
  readonly #known = new Map<string, Damage>();

  constructor(onDamage: (damage: Damage) => void = () => {}) {
    this.#onDamage = onDamage;
  }

  get all(): readonly Damage[] {
    return [...this.#known.values()];
  }

  /** Remembers a damage, unless it is known already. */
  add(damage: Damage): void {
    if (this.#known.has(damage.message) || this.#known.size >= maxRemembered) return;
    this.#known.set(damage.message, damage);
    this.#onDamage(damage);
  }

  /** Remembers the damage that an error is about, if it is about any. Returns the error. */
  note<T>(error: T): T {
    if (!isError(error, storeErrorCodes.StoreDamaged)) return error;
    const { name } = error.details;
    this.add({ kind: 'row', message: error.message, ...(name === undefined ? {} : { object: name }) });
    return error;
  }
}
