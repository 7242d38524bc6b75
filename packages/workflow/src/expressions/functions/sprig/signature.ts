import { fail } from '../../values/failure.ts';
import {
  Callable,
  type CallContext,
  isList,
  isStringMap,
  type StringMap,
  Time,
  typeName,
  type Value,
} from '../../values/value.ts';

/** Go's types of parameters. `any` takes everything; `…` before the last one means any number of them. */
type ParameterType = 'string' | 'int' | 'bool' | 'float64' | 'any' | 'map' | 'time' | 'list';

export type SprigTable = Readonly<Record<string, Callable>>;

const goNames: Readonly<Record<ParameterType, string>> = {
  string: 'string',
  int: 'int',
  bool: 'bool',
  float64: 'float64',
  any: 'interface {}',
  map: 'map[string]interface {}',
  time: 'time.Time',
  list: '[]interface {}',
};

const accepts: Readonly<Record<ParameterType, (value: Value) => boolean>> = {
  string: value => typeof value === 'string',
  int: value => typeof value === 'bigint',
  bool: value => typeof value === 'boolean',
  float64: value => typeof value === 'number',
  any: () => true,
  map: isStringMap,
  time: value => value instanceof Time,
  list: isList,
};

/** What Go gives for nil. */
const zeroValues: Readonly<Record<ParameterType, Value>> = {
  string: '',
  int: 0n,
  bool: false,
  float64: 0,
  any: null,
  map: {},
  time: null,
  list: [],
};

/** Arguments that were checked against a signature. */
export class Arguments {
  readonly values: readonly Value[];

  constructor(values: readonly Value[]) {
    this.values = values;
  }

  any(index: number): Value {
    return this.values[index] ?? null;
  }

  text(index: number): string {
    return this.any(index) as string;
  }

  int(index: number): number {
    return Number(this.any(index));
  }

  map(index: number): StringMap {
    return this.any(index) as StringMap;
  }

  time(index: number): Time {
    return this.any(index) as Time;
  }

  from(index: number): readonly Value[] {
    return this.values.slice(index);
  }
}

/** A function with parameters such as `int string` or `string …any`. Texts and lists are charged by their lengths. */
export function sprig(signature: string, body: (args: Arguments, context: CallContext) => Value): Callable {
  const types = signature.split(' ').filter(word => word !== '');
  const isVariadic = types.at(-1)?.startsWith('…') === true;
  const parameters = types.map(word => word.replace('…', '') as ParameterType);
  return new Callable((values, context) => {
    checkCount(parameters.length, isVariadic, values.length);
    const args = values.map((value, index) => convert(value, parameters[index] ?? parameters.at(-1) ?? 'any'));
    for (const value of args) chargeFor(value, context);
    return body(new Arguments(args), context);
  });
}

function checkCount(expected: number, isVariadic: boolean, count: number): void {
  if (isVariadic && count < expected - 1)
    fail(`invalid number of arguments: expected at least ${expected - 1}, got ${count}`);
  if (!isVariadic && count !== expected) fail(`invalid number of arguments: expected ${expected}, got ${count}`);
}

function convert(value: Value, type: ParameterType): Value {
  if (value === null) return zeroValues[type];
  return accepts[type](value) ? value : fail(`reflect: Call using ${typeName(value)} as type ${goNames[type]}`);
}

function chargeFor(value: Value, { meter }: CallContext): void {
  if (typeof value === 'string') meter.chargeText(value.length);
  else if (isList(value)) meter.charge(value.length);
}
