export type TokenKind = 'Identifier' | 'Number' | 'String' | 'Bytes' | 'Operator' | 'Bracket' | 'EOF';

export interface Token {
  readonly kind: TokenKind;
  /** The text; of a string its content. */
  readonly value: string;
  readonly position: number;
}

/** A token as messages show it. */
export const tokenText = ({ kind, value }: Token): string =>
  value === '' ? kind : `${kind}(${JSON.stringify(value)})`;
