import { stripVTControlCharacters } from 'node:util';
import type { Output } from '../command.ts';

/** Of a terminal that does not say. */
const defaultSize = { rows: 24, columns: 80 };

/** A text at the end of a terminal that is drawn again in place. */
export class LiveScreen {
  readonly #output: Output;
  readonly #paint: (text: string) => string;
  #height = 0;
  #last = '';

  /** `paint` adds colours, which take no room. */
  constructor(output: Output, paint: (text: string) => string = text => text) {
    this.#output = output;
    this.#paint = paint;
  }

  /** Replaces what was drawn before. Lines that do not fit are cut, and the first ones left out. */
  draw(text: string): void {
    if (text === this.#last) return;
    this.#last = text;
    const { rows = defaultSize.rows, columns = defaultSize.columns } = this.#output;
    this.#replace(fit(text, { rows, columns }));
  }

  /** Replaces what was drawn before by the whole text, which stays. */
  finish(text: string): void {
    this.#replace(text);
    this.#height = 0;
  }

  #replace(text: string): void {
    const erase = this.#height === 0 ? '' : `\u001b[${this.#height}A\u001b[0J`;
    this.#output.write(erase + this.#paint(text));
    this.#height = text.split('\n').length - 1;
  }
}

/** Cuts a text to the size of a terminal, one line less than it has: the cursor stands below. */
export function fit(text: string, { rows, columns }: { readonly rows: number; readonly columns: number }): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const room = Math.max(2, rows - 1);
  const hidden = lines.length > room ? lines.length - room + 1 : 0;
  const shown = hidden === 0 ? lines : [`… ${hidden} lines above`, ...lines.slice(hidden)];
  return shown.map(line => `${cut(line, columns)}\n`).join('');
}

/** Colours take no room; a line that is cut loses them. */
const cut = (line: string, columns: number): string => {
  const letters = Array.from(stripVTControlCharacters(line));
  return letters.length <= columns ? line : `${letters.slice(0, columns - 1).join('')}…`;
};
