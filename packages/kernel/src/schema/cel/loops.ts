import type { ASTNode } from '@marcbachmann/cel-js';
import type { CelType, Checker, Evaluator, LoopScope, Macro, Scope } from './library.ts';
import { type Loop, loops } from './loop-kinds.ts';
import { entriesOf } from './macros.ts';
import type { Meter } from './meter.ts';
import { costOfNodes } from './metering.ts';

/** How many variables a call of a loop has: one or two; undefined when it is no loop. */
export function countLoopVariables(name: string, argumentCount: number): 1 | 2 | undefined {
  const counts = argumentCounts.get(name);
  if (counts?.[0].includes(argumentCount)) return 1;
  return counts?.[1].includes(argumentCount) ? 2 : undefined;
}

/** The numbers of arguments that loops take, with one variable and with two. */
const argumentCounts: ReadonlyMap<string, readonly [one: readonly number[], two: readonly number[]]> = new Map([
  ['all', [[2], [3]]],
  ['exists', [[2], [3]]],
  ['exists_one', [[2], [3]]],
  ['existsOne', [[], [3]]],
  ['filter', [[2], []]],
  ['map', [[2, 3], []]],
  ['transformList', [[], [3, 4]]],
  ['transformMap', [[], [3, 4]]],
  ['transformMapEntry', [[], [3, 4]]],
]);

/** A loop over a list or a map that pays for each step. */
export function loopMacro(node: Extract<ASTNode, { op: 'rcall' }>, variables: readonly string[], meter: Meter): Macro {
  const [name, receiver, args] = node.args;
  const body = args.slice(variables.length);
  const loop = loops[name] as Loop;
  const stepCost = costOfNodes(body);
  let inner: LoopScopes;
  return {
    typeCheck(checker, _, scope) {
      const types = rangeTypes(checker, checker.check(receiver, scope), receiver);
      inner = forkScopes(scope, variables, types);
      const bodyTypes = body.map(part => checker.check(part, inner.last));
      const [first] = bodyTypes;
      if (loop.isTested(body.length) && first !== undefined && !first.isDynOrBool()) {
        throw checker.createError(
          'invalid_condition_type',
          `the predicate of ${name}() must be a bool, got '${first.name}'`,
          node,
        );
      }
      return loop.typeOf(checker, bodyTypes, variables.length === 1 ? types.single : types.key);
    },
    evaluate(evaluator, _, scope) {
      const entries = entriesOf(evaluator, evaluator.run(receiver, scope), receiver);
      return loop.run(
        visit => walk(entries, visit, { evaluator, scope, inner, payStep: () => meter.charge(stepCost) }),
        body,
      );
    },
  };
}

interface RangeTypes {
  /** Of the only variable: items of a list, keys of a map. */
  readonly single: CelType;
  readonly key: CelType;
  readonly value: CelType;
}

function rangeTypes(checker: Checker, range: CelType, node: ASTNode): RangeTypes {
  const dyn = checker.getType('dyn');
  const { kind, keyType = dyn, valueType = dyn } = range;
  if (kind === 'dyn') return { single: dyn, key: dyn, value: dyn };
  if (kind === 'list') return { single: valueType, key: checker.getType('int'), value: valueType };
  if (kind === 'map') return { single: keyType, key: keyType, value: valueType };
  const message = `expression of type '${range.name}' cannot be range of a comprehension (must be list, map, or dynamic)`;
  throw checker.createError('invalid_comprehension_range', message, node);
}

/** The scopes of a loop's variables; they are the same when there is one variable. */
interface LoopScopes {
  readonly first: LoopScope;
  readonly last: LoopScope;
}

function forkScopes(scope: Scope, variables: readonly string[], types: RangeTypes): LoopScopes {
  const [firstName = '', secondName] = variables;
  const first = scope.forkWithVariable(firstName, secondName === undefined ? types.single : types.key);
  return { first, last: secondName === undefined ? first : first.forkWithVariable(secondName, types.value) };
}

interface Walk {
  readonly evaluator: Evaluator;
  readonly scope: Scope;
  readonly inner: LoopScopes;
  readonly payStep: () => void;
}

function walk(
  { isMap, entries }: ReturnType<typeof entriesOf>,
  visit: Parameters<Parameters<Loop['run']>[0]>[0],
  { evaluator, scope, inner, payStep }: Walk,
): void {
  const first = inner.first.reuse(scope);
  const isSingle = inner.first === inner.last;
  const step = (part: ASTNode): unknown => evaluator.run(part, inner.last);
  for (const [key, value] of entries) {
    payStep();
    const single = isMap ? key : value;
    first.setIterValue(isSingle ? single : key, evaluator);
    if (!isSingle) inner.last.setIterValue(value, evaluator);
    if (visit({ key, item: single, step })) return;
  }
}
