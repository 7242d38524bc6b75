import { posix } from 'node:path';
import { identical } from '../../values/equality.ts';
import { fail } from '../../values/failure.ts';
import { typeName, type Value } from '../../values/value.ts';
import { isEmpty, kindName } from './convert.ts';
import { type SprigTable, sprig } from './signature.ts';

const firstFull = (values: readonly Value[]): Value => values.find(value => !isEmpty(value)) ?? null;

/** Go's path.Clean. */
function cleanPath(path: string): string {
  const clean = posix.normalize(path === '' ? '.' : path);
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
}

/** Go's path.Base: `.` for nothing, `/` for slashes alone. */
function baseName(path: string): string {
  if (path === '') return '.';
  return posix.basename(path) === '' ? '/' : posix.basename(path);
}

/** Go's path.Dir: everything but the last element, cleaned. */
const directory = (path: string): string => cleanPath(path.slice(0, path.lastIndexOf('/') + 1));

function extension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.includes('.') ? name.slice(name.lastIndexOf('.')) : '';
}

const onPath = (change: (path: string) => Value): SprigTable[string] => sprig('string', args => change(args.text(0)));

const pathFunctions: SprigTable = {
  base: onPath(baseName),
  dir: onPath(directory),
  clean: onPath(cleanPath),
  ext: onPath(extension),
  isAbs: onPath(path => path.startsWith('/')),
};

/** sprig's functions for defaults, types, flow and paths. */
export const logicFunctions: SprigTable = {
  default: sprig('any …any', args => (args.values.length < 2 || isEmpty(args.any(1)) ? args.any(0) : args.any(1))),
  empty: sprig('any', args => isEmpty(args.any(0))),
  coalesce: sprig('…any', args => firstFull(args.values)),
  all: sprig('…any', args => args.values.every(value => !isEmpty(value))),
  any: sprig('…any', args => args.values.some(value => !isEmpty(value))),
  ternary: sprig('any any bool', args => (args.any(2) === true ? args.any(0) : args.any(1))),
  typeOf: sprig('any', args => typeName(args.any(0))),
  typeIs: sprig('string any', args => args.text(0) === typeName(args.any(1))),
  typeIsLike: sprig('string any', args => [args.text(0), `*${args.text(0)}`].includes(typeName(args.any(1)))),
  kindOf: sprig('any', args => kindName(args.any(0))),
  kindIs: sprig('string any', args => args.text(0) === kindName(args.any(1))),
  deepEqual: sprig('any any', (args, { meter }) => identical(args.any(0), args.any(1), meter)),
  fail: sprig('string', args => fail(args.text(0))),
  ...pathFunctions,
  ...Object.fromEntries(
    Object.entries(pathFunctions).map(([name, body]) => [`os${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, body]),
  ),
};
