import type { Io, Output } from '../command.ts';
import { type Colour, colour } from '../output/colour.ts';

const colours: Readonly<Record<string, Colour>> = {
  '✔': 'green',
  '✖': 'red',
  '⚠': 'red',
  '●': 'blue',
  '◷': 'yellow',
  ǁ: 'yellow',
};

/** Colours the symbol of a phase, the first one in each line of a tree. Other lines stay as they are. */
export const paintSymbols =
  (output: Output, env: Io['env']) =>
  (text: string): string =>
    text.replace(/^([ │├└┬─]*)([✔✖⚠●◷ǁ])(?= )/gm, (_, prefix: string, symbol: string) => {
      const painted = colour(symbol, colours[symbol] ?? 'bold', output, env);
      return `${prefix}${painted}`;
    });
