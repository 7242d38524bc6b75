import { basename } from 'node:path';
import type { Output } from '../command.ts';

/** What all texts say; right in a clone and where the package is installed in a folder. */
const usualName = 'npx chandlery';

/** Whether a program is Node.js, which runs a script; the single executable has another name. */
export const isNode = (executable: string): boolean => /^node(\.exe)?$/i.test(basename(executable));

/** Where npx finds the command: in a clone, and in the folder where its package is installed. */
const npxPlaces = /[\\/]apps[\\/]cli[\\/]bin[\\/]|(?<![\\/]lib)[\\/]node_modules[\\/]/;

/**
 * How users start this command: the single executable by its name, what is on the search path as `chandlery`. `argv0` is
 * what was typed: the single executable replaces the rest by the Node.js and the script that it has unpacked.
 */
export function programName([executable = '', script = '']: readonly string[], argv0 = executable): string {
  if (!isNode(argv0)) return basename(argv0) || usualName;
  return npxPlaces.test(script) ? usualName : 'chandlery';
}

/** Writes texts with the name by which the command was started. What programs read (`-o`) is left as it is. */
export function namingProgram<T extends Output>(output: T, name: string, args: readonly string[]): Output {
  const isData = args.some(arg => /^(-o|--output)/.test(arg));
  if (name === usualName || isData) return output;
  return {
    write: text => output.write(typeof text === 'string' ? text.replaceAll(usualName, name) : text),
    get isTTY() {
      return output.isTTY === true;
    },
    get rows() {
      return output.rows as number;
    },
    get columns() {
      return output.columns as number;
    },
  };
}
