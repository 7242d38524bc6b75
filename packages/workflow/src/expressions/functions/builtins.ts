import type { Builtin } from '../language/compile.ts';
import { closureFunctions } from '../language/parser.ts';
import { collectionBuiltins } from './collection-builtins.ts';
import { formatBuiltins } from './format-builtins.ts';
import { numberBuiltins } from './number-builtins.ts';
import { textBuiltins } from './text-builtins.ts';

/** The functions of the language, but for those with closures. */
export const builtins: ReadonlyMap<string, Builtin> = new Map(
  Object.entries({ ...textBuiltins, ...numberBuiltins, ...collectionBuiltins, ...formatBuiltins }),
);

export const isBuiltin = (name: string): boolean => builtins.has(name) || Object.hasOwn(closureFunctions, name);
