import { styleText } from 'node:util';
import type { Io, Output } from '../command.ts';

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'bold';

/** Colours a text for a terminal. NO_COLOR and a dumb terminal leave it as it is, FORCE_COLOR colours it anywhere. */
export function colour(text: string, style: Colour, output: Output, env: Io['env']): string {
  return isColoured(output, env) ? styleText(style, text, { validateStream: false }) : text;
}

/** Whether an output gets colours. */
export function isColoured(output: Output, env: Io['env']): boolean {
  if ((env.NO_COLOR ?? '') !== '') return false;
  if ((env.FORCE_COLOR ?? '') !== '') return env.FORCE_COLOR !== '0';
  return output.isTTY === true && env.TERM !== 'dumb';
}
