import type { Environment } from '@marcbachmann/cel-js';

/** Registers a function under a signature such as `string.charAt(int): string`. */
export type Register = (signature: string, handler: (...values: never[]) => unknown) => void;

/** Each registration gets a function of its own, since the library leaves marks on them. */
export const registerIn =
  (environment: Environment): Register =>
  (signature, handler) => {
    environment.registerFunction(signature, (...values: never[]) => handler(...values), { async: false });
  };
