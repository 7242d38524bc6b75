interface OperatorRule {
  readonly precedence: number;
  readonly isRightAssociative?: boolean;
}

export const unaryOperators: Readonly<Record<string, OperatorRule>> = {
  not: { precedence: 50 },
  '!': { precedence: 50 },
  '-': { precedence: 90 },
  '+': { precedence: 90 },
};

const binaryPrecedences: Readonly<Record<number, readonly string[]>> = {
  0: ['|'],
  10: ['or', '||'],
  15: ['and', '&&'],
  20: ['==', '!=', '<', '>', '>=', '<=', 'in', 'matches', 'contains', 'startsWith', 'endsWith'],
  25: ['..'],
  30: ['+', '-'],
  60: ['*', '/', '%'],
  100: ['**', '^'],
  500: ['??'],
};

export const binaryOperators: ReadonlyMap<string, OperatorRule> = new Map(
  Object.entries(binaryPrecedences).flatMap(([precedence, operators]) =>
    operators.map(operator => [operator, { precedence: Number(precedence), isRightAssociative: precedence === '100' }]),
  ),
);

export const isComparison = (operator: string): boolean => ['<', '>', '>=', '<='].includes(operator);

/** Operators that `not` may stand before. */
export const isNegatable = (operator: string): boolean =>
  ['contains', 'matches', 'startsWith', 'endsWith', 'in'].includes(operator);
