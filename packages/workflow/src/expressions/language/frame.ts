import type { CallContext, StringMap, Value } from '../values/value.ts';

/** The item that a closure is evaluated for. */
export interface ClosureScope {
  readonly item: Value;
  readonly index: number;
  readonly accumulator: Value;
}

/** The state of one evaluation. */
export interface Frame extends CallContext {
  readonly env: StringMap;
  /** Values of `let`, by slot. */
  readonly variables: Value[];
  scope: ClosureScope | undefined;
  /** Where in the source the operation stands that is being carried out. */
  position: number;
}

/** A part of an expression, ready to be evaluated. */
export type Code = (frame: Frame) => Value;
