import assert from 'node:assert/strict';
import type { KubeObject } from '@chandlery/api';
import { revisionOf, stepOf } from './step-object.ts';

/** A state of one name: at which step it is, and whether there is an object. */
export interface State {
  readonly step: number;
  readonly exists: boolean;
}

interface Entry {
  /** What was acknowledged last. */
  known: State & { readonly revision: number };
  /** A write whose outcome is unknown. */
  doubt: State | undefined;
  /** One that had no effect when we looked. It may still take effect, until the next acknowledged write rules it out. */
  late: State | undefined;
}

const untouched = { step: 0, exists: false, revision: 0 };

/** What was acknowledged to one writer, and what it does not know. Each name has one writer only. */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  /** The highest revision that was ever acknowledged. */
  highest = 0;
  acknowledged = 0;

  known(name: string): Entry['known'] {
    return this.#entries.get(name)?.known ?? untouched;
  }

  doubt(name: string): State | undefined {
    return this.#entries.get(name)?.doubt;
  }

  /** To be called before a write is sent. */
  begin(name: string, wanted: State): void {
    this.#entries.set(name, { known: this.known(name), doubt: wanted, late: this.#entries.get(name)?.late });
  }

  /** To be called when the write was acknowledged; `revision` is 0 when the answer names none. */
  acknowledge(name: string, state: State, revision: number): void {
    if (revision > 0) {
      assert.ok(revision > this.known(name).revision, `${name}: revision ${revision} does not follow the one before`);
      this.highest = Math.max(this.highest, revision);
    }
    this.acknowledged++;
    this.#entries.set(name, { known: { ...state, revision }, doubt: undefined, late: undefined });
  }

  /**
   * Compares with what is really there: exactly what was acknowledged, or what was in doubt, and nothing else.
   * Whatever is there is known from then on; true when it was the doubtful write.
   */
  settle(name: string, actual: KubeObject | undefined): boolean {
    const { known, doubt, late } = this.#entries.get(name) ?? { known: untouched, doubt: undefined, late: undefined };
    const found: State = { exists: actual !== undefined, step: actual === undefined ? known.step : stepOf(actual) };
    const revision = actual === undefined ? 0 : revisionOf(actual);
    const isKnown = isSame(found, known) && (!found.exists || revision === known.revision);
    const isDoubt = [doubt, late].some(state => state !== undefined && isSame(found, state));
    assert.ok(
      isKnown || isDoubt,
      `${name}: ${text({ ...found, revision })} found, ${text(known)} acknowledged, ${text(doubt)} in doubt`,
    );
    this.#entries.set(name, {
      known: { ...found, revision },
      doubt: undefined,
      late: isKnown ? (doubt ?? late) : undefined,
    });
    return !isKnown;
  }

  /** Settles every name against a list of all objects. */
  settleAll(objects: readonly KubeObject[]): void {
    const byName = new Map(objects.map(object => [object.metadata.name ?? '', object]));
    for (const name of this.#entries.keys()) this.settle(name, byName.get(name));
  }
}

const isSame = (left: State, right: State): boolean => left.exists === right.exists && left.step === right.step;
const text = (state: object | undefined): string => (state === undefined ? 'nothing' : JSON.stringify(state));
