import type { Builtin } from '../language/compile.ts';
import { interfaceTypeName } from '../language/compile-operators.ts';
import type { Frame } from '../language/frame.ts';
import { fail } from '../values/failure.ts';
import { isList, type Value } from '../values/value.ts';

/** The functions of one family, by name. */
export type BuiltinTable = Readonly<Record<string, Builtin>>;

/** A function that takes from `min` to `max` arguments. */
export function withArity(name: string, min: number, max: number, body: Builtin): Builtin {
  return (args, frame) => {
    if (args.length < min) fail(`not enough arguments to call ${name}`);
    if (args.length > max) fail(`too many arguments to call ${name}`);
    return body(args, frame);
  };
}

/** Applies {@link withArity} to a table: each entry has its least and largest number of arguments. */
export function defineBuiltins(table: Readonly<Record<string, readonly [number, number, Builtin]>>): BuiltinTable {
  return Object.fromEntries(
    Object.entries(table).map(([name, [min, max, body]]) => [name, withArity(name, min, max, body)]),
  );
}

export const argument = (args: readonly Value[], index: number): Value => args[index] ?? null;

/** The argument as a text, whose length is charged. */
export function textArgument(args: readonly Value[], index: number, { meter }: Frame): string {
  const value = argument(args, index);
  if (typeof value !== 'string')
    return fail(`interface conversion: interface {} is ${interfaceTypeName(value)}, not string`);
  meter.chargeText(value.length);
  return value;
}

/** The argument as a list, whose length is charged. */
export function listArgument(
  args: readonly Value[],
  index: number,
  { meter }: Frame,
  refusal: string,
): readonly Value[] {
  const value = argument(args, index);
  if (!isList(value)) return fail(`${refusal} ${kindOf(value)}`);
  meter.charge(value.length);
  return value;
}

/** Go's reflect.Kind of a value. */
export function kindOf(value: Value): string {
  if (value === null) return 'invalid';
  if (isList(value)) return 'slice';
  if (typeof value === 'object') return 'map';
  return interfaceTypeName(value);
}
