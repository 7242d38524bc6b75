/** Whether a character, by its code point, is meant. */
export type CharacterTest = (codePoint: number) => boolean;

/** Where in the text, without taking a character. */
export type Place = 'text start' | 'text end' | 'line start' | 'line end' | 'word edge' | 'no word edge';

/** A regular expression that was read. */
export type RegexNode =
  | { readonly type: 'character'; readonly test: CharacterTest }
  | { readonly type: 'place'; readonly place: Place }
  | { readonly type: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly type: 'choice'; readonly options: readonly RegexNode[] }
  | { readonly type: 'repeat'; readonly node: RegexNode; readonly min: number; readonly max: number };

/** How many instructions an expression becomes when its repetitions are written out. */
export function sizeOf(node: RegexNode): number {
  switch (node.type) {
    case 'character':
    case 'place':
      return 1;
    case 'sequence':
      return 1 + node.parts.reduce((sum, part) => sum + sizeOf(part), 0);
    case 'choice':
      return node.options.reduce((sum, option) => sum + sizeOf(option) + 2, 0);
    case 'repeat':
      return (sizeOf(node.node) + 1) * Math.max(1, node.max === Infinity ? node.min + 1 : node.max);
  }
}
