import { type ASTNode, Optional } from '@marcbachmann/cel-js';
import { areEqual, Untyped } from './equality.ts';
import type { CelType, Checker, Evaluator, Macro, Scope } from './library.ts';
import { costOf, type Meter } from './meter.ts';
import { optionalName } from './type-names.ts';

/** `has(a.b)`: whether the field is there. Fields that the type does not know are rejected by the check. */
export function hasMacro(argument: ASTNode): Macro {
  return {
    typeCheck(checker, _, scope) {
      if (argument.op !== '.')
        throw checker.createError('invalid_macro_argument', 'invalid argument to has() macro', argument);
      checker.check(argument, scope);
      return checker.getType('bool');
    },
    evaluate(evaluator, _, scope) {
      const [operand, field] = argument.args as [ASTNode, string];
      return hasField(evaluator.run(operand, scope), field);
    },
  };
}

function hasField(value: unknown, field: string): boolean {
  if (value instanceof Optional) return value.hasValue() && hasField(value.value(), field);
  if (value instanceof Map) return value.has(field);
  throw new Error('no such overload: has() of a value without fields');
}

/** `==` and `!=`, for all types alike. */
export function equalityMacro(node: ASTNode, meter: Meter): Macro {
  const [left, right] = node.args as [ASTNode, ASTNode];
  const isWanted = node.op === '==';
  return {
    typeCheck(checker, _, scope) {
      const types = [checker.check(left, scope), checker.check(right, scope)] as const;
      if (!isComparable(checker, ...types)) {
        const shown = `no such overload: ${types[0].name} ${node.op} ${types[1].name}`;
        throw checker.createError('no_such_overload', shown, node);
      }
      return checker.getType('bool');
    },
    evaluate(evaluator, _, scope) {
      const values = [evaluator.run(left, scope), evaluator.run(right, scope)] as const;
      meter.charge(1 + costOf(values[0]));
      return areEqual(...values) === isWanted;
    },
  };
}

function isComparable(checker: Checker, left: CelType, right: CelType): boolean {
  const mayBeNull = ({ kind }: CelType): boolean => kind === 'message' || kind === 'optional';
  if (left.name === 'null' && mayBeNull(right)) return true;
  if (right.name === 'null' && mayBeNull(left)) return true;
  return left.unify(checker.registry, right) !== null;
}

/** `self` and `oldSelf`: each rule knows them by a type of its own. */
export function variableMacro(name: string, typeName: string): Macro {
  return {
    typeCheck: checker => checker.getType(typeName),
    evaluate(_evaluator, _, scope) {
      const value = scope.getValue(name);
      if (value === undefined) throw new Error(`${name} has no value`);
      return value;
    },
  };
}

/** `optional.optMap(x, f(x))` and `optFlatMap`. */
export function optionalMacro(node: Extract<ASTNode, { op: 'rcall' }>, variable: string): Macro {
  const [name, receiver, args] = node.args;
  const body = args[1] as ASTNode;
  let inner: ReturnType<Scope['forkWithVariable']>;
  return {
    typeCheck(checker, _, scope) {
      const type = checker.check(receiver, scope);
      if (type.kind !== 'optional' && type.kind !== 'dyn') {
        throw checker.createError('optional_expected', `${name}() must be called on an optional value`, receiver);
      }
      inner = scope.forkWithVariable(variable, type.valueType ?? checker.getType('dyn'));
      const result = checker.check(body, inner);
      return name === 'optMap' ? checker.getType(optionalName(result.name)) : result;
    },
    evaluate(evaluator, _, scope) {
      const value = evaluator.run(receiver, scope) as Optional;
      if (!value.hasValue()) return value;
      const result = evaluator.run(body, inner.reuse(scope).setIterValue(value.value(), evaluator));
      return name === 'optMap' ? Optional.of(result) : result;
    },
  };
}

/** What a loop walks: items of a list by index, or values of a map by key. */
export interface Entries {
  readonly isMap: boolean;
  readonly entries: Iterable<readonly [key: unknown, value: unknown]>;
}

export function entriesOf(evaluator: Evaluator, value: unknown, node: ASTNode): Entries {
  if (Array.isArray(value)) return { isMap: false, entries: indexed(value) };
  if (value instanceof Map)
    return { isMap: true, entries: [...value].filter(([, field]) => !(field instanceof Untyped)) };
  throw evaluator.createError(
    'invalid_comprehension_range',
    'no such overload: only lists and maps can be walked',
    node,
  );
}

function* indexed(list: readonly unknown[]): Generator<[bigint, unknown]> {
  for (const [index, item] of list.entries()) yield [BigInt(index), item];
}
