import { styleText } from 'node:util';
import type { Io, Output } from '../command.ts';

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'bold';

/** Colours a text for a terminal; for a file or a pipe, or by NO_COLOR, it stays as it is. */
export function colour(text: string, style: Colour, output: Output, env: Io['env']): string {
  const isWanted = output.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return isWanted ? styleText(style, text, { validateStream: false }) : text;
}
