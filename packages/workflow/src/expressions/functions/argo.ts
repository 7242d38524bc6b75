import { queryJsonPath } from '../jsonpath/query.ts';
import { fail } from '../values/failure.ts';
import { goJson } from '../values/json-text.ts';
import { Callable, createMap, type StringMap, typeName, type Value } from '../values/value.ts';
import { parseGoJson } from './json.ts';
import { toGoFloat, toGoInt } from './number-builtins.ts';
import { sprigFunctions } from './sprig/index.ts';

/** A function with a fixed number of arguments. */
function define(count: number, call: Callable['call']): Callable {
  return new Callable((args, context) => {
    if (args.length !== count) fail(`invalid number of arguments: expected ${count}, got ${args.length}`);
    return call(args, context);
  });
}

const text = (value: Value | undefined): string =>
  typeof value === 'string' ? value : fail(`reflect: Call using ${typeName(value ?? null)} as type string`);

/** What Argo adds to every environment. */
export const argoFunctions: StringMap = createMap([
  ['asInt', define(1, ([value = null]) => toGoInt(value))],
  ['asFloat', define(1, ([value = null]) => toGoFloat(value))],
  ['toJson', define(1, ([value = null], { meter }) => goJson(value, meter))],
  [
    'jsonpath',
    define(2, ([document, path], { meter }) => queryJsonPath(parseGoJson(text(document), meter), text(path), meter)),
  ],
  ['sprig', sprigFunctions],
]);
