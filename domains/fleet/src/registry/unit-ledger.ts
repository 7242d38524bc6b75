import type { RowChange } from '@chandlery/registry';
import { trialType } from '../model/quota.ts';
import {
  clusterScope,
  clusterTypeScope,
  type Demand,
  parseUnit,
  regionScope,
  trialScope,
  type UnitUsage,
  unitName,
} from '../model/scopes.ts';
import type { InstanceRow } from './fleet-tables.ts';
import { ScopeUnits } from './scope-units.ts';

/** How long a unit that another process was seen to have counts as taken. A watch is much faster. */
const contestedMs = 2000;

/** Units that a commit is about to take. Released when it has settled, either way: then the tables show who has them. */
export interface UnitReservation extends Disposable {
  /** For `status.holds`. */
  readonly holds: readonly string[];
}

/**
 * Which units of which scope are occupied. Kept up to date by the changes of instances; what it costs does not depend on
 * how many there are.
 */
export class UnitLedger implements UnitUsage {
  readonly #scopes = new Map<string, ScopeUnits>();
  readonly #counts = new Map<string, Map<string, number>>();

  /** Listener of the table of instances. Must see all its changes. */
  readonly onChange = ({ type, row, previous }: RowChange<InstanceRow>): void => {
    // Added before removed, so that nothing that stays is free in between.
    if (type !== 'removed') this.#add(row);
    const former = type === 'removed' ? row : previous;
    if (former !== undefined) this.#remove(former, type === 'removed' ? [] : (row.status.holds ?? []));
  };

  /** Units of a scope that are occupied or about to be. */
  used(scope: string): number {
    return this.#scopes.get(scope)?.used ?? 0;
  }

  /** Units of a scope that instances occupy. */
  occupied(scope: string): number {
    return this.#scopes.get(scope)?.occupied ?? 0;
  }

  /** Whether the use of a scope may change in a moment. */
  isUnsettled(scope: string): boolean {
    return this.#scopes.get(scope)?.isUnsettled ?? false;
  }

  /** How many instances of a product are in each state; those that were not admitted have the state ''. */
  countsByState(product: string): ReadonlyMap<string, number> {
    return this.#counts.get(product) ?? new Map();
  }

  /** Reserves the units of all demands; undefined when one of them does not fit. */
  reserve(demands: readonly Demand[]): UnitReservation | undefined {
    const reserved: { scope: string; units: readonly number[] }[] = [];
    const release = (): void => {
      for (const { scope, units } of reserved.splice(0)) {
        this.#scopes.get(scope)?.release(units);
        this.#dropIfEmpty(scope);
      }
    };
    for (const { scope, units: count, limit } of demands) {
      if (count === 0) continue;
      const units = this.used(scope) + count > limit ? undefined : this.#scope(scope).reserve(count, limit);
      if (units === undefined) return void release();
      reserved.push({ scope, units });
    }
    const holds = reserved.flatMap(({ scope, units }) => units.map(unit => unitName(scope, unit)));
    return { holds, [Symbol.dispose]: release };
  }

  /** Notes that another process has a unit, which a commit of this one failed for. */
  contest(hold: string): void {
    const parsed = parseUnit(hold);
    if (parsed === undefined) return;
    this.#scope(parsed.scope).contest(parsed.unit);
    const settle = (): void => {
      this.#scopes.get(parsed.scope)?.settle(parsed.unit);
      this.#dropIfEmpty(parsed.scope);
    };
    setTimeout(settle, contestedMs).unref();
  }

  #add(row: InstanceRow): void {
    this.#count(row, 1);
    for (const [scope, units] of occupiedUnits(row)) this.#scope(scope).occupied += units;
    for (const hold of row.status.holds ?? []) {
      const parsed = parseUnit(hold);
      if (parsed !== undefined) this.#scope(parsed.scope).take(parsed.unit);
    }
  }

  #remove(row: InstanceRow, kept: readonly string[]): void {
    this.#count(row, -1);
    const holds = (row.status.holds ?? []).filter(hold => !kept.includes(hold));
    for (const hold of holds) {
      const parsed = parseUnit(hold);
      if (parsed === undefined) continue;
      this.#scopes.get(parsed.scope)?.free(parsed.unit);
      this.#dropIfEmpty(parsed.scope);
    }
    for (const [scope, units] of occupiedUnits(row)) {
      this.#scope(scope).occupied -= units;
      this.#dropIfEmpty(scope);
    }
  }

  #count({ spec, status }: InstanceRow, change: number): void {
    const states = this.#counts.get(spec.product) ?? new Map<string, number>();
    this.#counts.set(spec.product, states);
    const count = (states.get(status.state ?? '') ?? 0) + change;
    if (count === 0) states.delete(status.state ?? '');
    else states.set(status.state ?? '', count);
  }

  #scope(name: string): ScopeUnits {
    const known = this.#scopes.get(name);
    if (known !== undefined) return known;
    const created = new ScopeUnits();
    this.#scopes.set(name, created);
    return created;
  }

  #dropIfEmpty(scope: string): void {
    if (this.#scopes.get(scope)?.isEmpty) this.#scopes.delete(scope);
  }
}

/** Scopes in which an instance occupies units, limited or not, and how many. One that was not admitted occupies none. */
function occupiedUnits({ spec, status }: InstanceRow): readonly (readonly [scope: string, units: number])[] {
  const { instanceType, clusterId, units = 0, quotaScope, quotaUnits = 0 } = status;
  if (status.state === undefined || instanceType === undefined) return [];
  const { product, cloudProvider = '', region = '' } = spec;
  const occupied: [string, number][] = [[regionScope(product, { cloudProvider, region, instanceType }), units]];
  if (quotaScope !== undefined) occupied.push([quotaScope, quotaUnits]);
  if (instanceType === trialType) occupied.push([trialScope(product, spec.organisation, spec.owner), 1]);
  if (clusterId !== undefined)
    occupied.push(
      [clusterScope(product, clusterId), units],
      [clusterTypeScope(product, clusterId, instanceType), units],
    );
  return occupied;
}
