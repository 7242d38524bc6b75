import { parseGoFloat } from '../functions/parse-float.ts';
import { equal } from '../values/equality.ts';
import { fail } from '../values/failure.ts';
import type { Meter } from '../values/meter.ts';
import { Pattern } from '../values/pattern.ts';
import { isList, isStringMap, type Value } from '../values/value.ts';
import type { Script, Selector } from './selector.ts';

type ReadPath = (isRoot: boolean, selectors: readonly Selector[]) => Value;

/** The value of a filter or script. Paths that select nothing are null. */
export function evaluateScript(script: Script, readPath: ReadPath, meter: Meter): Value {
  meter.charge(1);
  const evaluate = (part: Script): Value => evaluateScript(part, readPath, meter);
  switch (script.type) {
    case 'literal':
      return script.value;
    case 'path':
      return readPath(script.isRoot, script.selectors);
    case 'not':
      return !isTruthy(evaluate(script.operand));
    case 'list':
      return script.items.map(evaluate);
    case 'binary':
      return evaluateBinary(script, evaluate, meter);
  }
}

function evaluateBinary(
  { operator, left, right }: Extract<Script, { type: 'binary' }>,
  evaluate: (part: Script) => Value,
  meter: Meter,
): Value {
  if (operator === '&&') return isTruthy(evaluate(left)) && isTruthy(evaluate(right));
  if (operator === '||') return isTruthy(evaluate(left)) || isTruthy(evaluate(right));
  const [a, b] = [evaluate(left), evaluate(right)];
  switch (operator) {
    case '==':
      return equal(a, b, meter);
    case '!=':
      return !equal(a, b, meter);
    case '=~':
      return typeof a === 'string' && typeof b === 'string' && new Pattern(b).test(a, meter);
    case 'in':
      return isList(b) && b.some(item => equal(a, item, meter));
    case '<':
      return numberOf(a) < numberOf(b);
    case '<=':
      return numberOf(a) <= numberOf(b);
    case '>':
      return numberOf(a) > numberOf(b);
    case '>=':
      return numberOf(a) >= numberOf(b);
    default:
      return calculate(operator, a, b);
  }
}

/** Order exists between numbers only, and texts that are numbers. */
function numberOf(value: Value): number {
  if (typeof value === 'number') return value;
  const parsed = typeof value === 'string' ? parseGoFloat(value) : undefined;
  return parsed ?? fail('invalid argument. expected number');
}

function calculate(operator: string, a: Value, b: Value): number {
  if (typeof a !== 'number' || typeof b !== 'number') return fail('invalid argument. expected number');
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') return a * b;
  if (b === 0) return fail('cannot divide by zero');
  return operator === '/' ? a / b : a % b;
}

/** Whether a filter keeps an item for which it has this value. */
export function isTruthy(value: Value): boolean {
  if (isList(value)) return value.length > 0;
  if (isStringMap(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}
