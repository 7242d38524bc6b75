import { childrenOf, type Node } from './node.ts';
import { binaryOperators, isComparison, isNegatable, unaryOperators } from './operators-table.ts';
import { parseArguments, parseList, parseMap, parsePostfix } from './parse-collections.ts';
import { parseNumber } from './parse-number.ts';
import { syntaxError } from './syntax-error.ts';
import type { Token } from './token.ts';
import { TokenReader } from './token-reader.ts';

const maxNodes = 10_000;
const maxDepth = 1000;
const maxLength = 1_000_000;

/** What an argument of a function with closures is. */
type ArgumentKind = 'value' | 'closure' | 'closure?' | 'value?';

/** The functions of the language that evaluate a closure for each item of a list. */
export const closureFunctions: Readonly<Record<string, readonly ArgumentKind[]>> = {
  ...Object.fromEntries(
    'all none any one filter map find findIndex findLast findLastIndex groupBy'
      .split(' ')
      .map(name => [name, ['value', 'closure'] as const]),
  ),
  count: ['value', 'closure?'],
  sum: ['value', 'closure?'],
  sortBy: ['value', 'closure', 'value?'],
  reduce: ['value', 'closure', 'value?'],
};

/** Parses an expression. Throws `invalid-expression`. */
export function parse(source: string, isBuiltin: (name: string) => boolean): Node {
  if (source.length > maxLength) throw syntaxError('', 0, `expression is longer than ${maxLength} characters`);
  const node = new Parser(source, isBuiltin).parseAll();
  checkSize(source, node);
  return node;
}

function checkSize(source: string, root: Node): void {
  let count = 0;
  let level: readonly Node[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length;
    if (count > maxNodes) throw syntaxError(source, 0, 'compilation failed: expression exceeds maximum allowed nodes');
    if (depth > maxDepth) throw syntaxError(source, 0, 'expression is nested too deeply');
    level = level.flatMap(childrenOf);
  }
}

class Parser {
  readonly #reader: TokenReader;
  readonly #isBuiltin: (name: string) => boolean;
  #closureDepth = 0;
  readonly #parseItem = (): Node => this.#parseExpression(0);

  constructor(source: string, isBuiltin: (name: string) => boolean) {
    this.#reader = new TokenReader(source);
    this.#isBuiltin = isBuiltin;
  }

  parseAll(): Node {
    const node = this.#parseSequence();
    if (!this.#reader.is('EOF')) throw this.#reader.unexpected();
    return node;
  }

  #parseSequence(): Node {
    const nodes = [this.#parseExpression(0)];
    while (this.#reader.skip('Operator', ';')) {
      if (this.#reader.is('EOF')) break;
      nodes.push(this.#parseExpression(0));
    }
    const [first] = nodes;
    return first !== undefined && nodes.length === 1
      ? first
      : { type: 'sequence', position: first?.position ?? 0, nodes };
  }

  #parseExpression(precedence: number): Node {
    return this.#reader.nest(() => {
      if (precedence === 0 && this.#reader.is('Operator', 'let')) return this.#parseVariable();
      if (precedence === 0 && this.#reader.is('Operator', 'if')) return this.#parseIf();
      const node = this.#parseBinary(this.#parsePrimary(), precedence);
      return precedence === 0 ? this.#parseConditional(node) : node;
    });
  }

  #parseBinary(first: Node, minPrecedence: number): Node {
    let left = first;
    let previous = '';
    for (;;) {
      const isNegated = this.#reader.is('Operator', 'not');
      if (isNegated && !isNegatable(this.#reader.following.value)) {
        this.#reader.take();
        throw this.#reader.unexpected();
      }
      const token = isNegated ? this.#reader.following : this.#reader.current;
      const rule = token.kind === 'Operator' ? binaryOperators.get(token.value) : undefined;
      if (rule === undefined || rule.precedence < minPrecedence) return left;
      if (isNegated) this.#reader.take();
      this.#reader.take();
      if (token.value !== '|' && previous === '??' && token.value !== '??') throw this.#mixedCoalesce(token);
      const node = this.#parseOperation(left, token, rule.precedence, rule.isRightAssociative === true);
      left = isNegated ? { type: 'unary', position: token.position, operator: 'not', operand: node } : node;
      previous = token.value;
    }
  }

  #parseOperation(left: Node, token: Token, precedence: number, isRightAssociative: boolean): Node {
    if (token.value === '|') return this.#parseCall(this.#reader.expect('Identifier'), [left]);
    if (isComparison(token.value)) return this.#parseComparisons(left, token, precedence);
    const right = this.#parseExpression(isRightAssociative ? precedence : precedence + 1);
    return { type: 'binary', position: token.position, operator: token.value, left, right };
  }

  #mixedCoalesce(token: Token): Error {
    const text = `Operator (${token.value}) and coalesce expressions (??) cannot be mixed. Wrap either by parentheses.`;
    return this.#reader.error(text, token);
  }

  /** `a < b < c` is `a < b && b < c`. */
  #parseComparisons(first: Node, firstToken: Token, precedence: number): Node {
    let left = first;
    let token = firstToken;
    let whole: Node | undefined;
    for (;;) {
      const right = this.#parseExpression(precedence + 1);
      const { position, value: operator } = token;
      const comparison: Node = { type: 'binary', position, operator, left, right };
      whole =
        whole === undefined ? comparison : { type: 'binary', position, operator: '&&', left: whole, right: comparison };
      if (!this.#reader.is('Operator') || !isComparison(this.#reader.current.value)) return whole;
      left = right;
      token = this.#reader.take();
    }
  }

  #parseVariable(): Node {
    this.#reader.take();
    const { position, value: name } = this.#reader.expect('Identifier');
    if (this.#isBuiltin(name)) throw syntaxErrorAt(this.#reader, position, `cannot redeclare builtin ${name}`);
    this.#reader.expect('Operator', '=');
    const value = this.#parseExpression(0);
    this.#reader.expect('Operator', ';');
    return { type: 'variable', position, name, value, body: this.#parseSequence() };
  }

  #parseIf(): Node {
    const { position } = this.#reader.take();
    const condition = this.#parseExpression(0);
    const whenTrue = this.#parseBlock();
    this.#reader.expect('Operator', 'else');
    const whenFalse = this.#reader.is('Operator', 'if') ? this.#reader.nest(() => this.#parseIf()) : this.#parseBlock();
    return { type: 'conditional', position, condition, whenTrue, whenFalse };
  }

  #parseBlock(): Node {
    this.#reader.expect('Bracket', '{');
    const node = this.#parseSequence();
    this.#reader.expect('Bracket', '}');
    return node;
  }

  #parseConditional(first: Node): Node {
    let condition = first;
    while (this.#reader.skip('Operator', '?')) {
      const isShort = this.#reader.skip('Operator', ':');
      const whenTrue = isShort ? condition : this.#parseExpression(0);
      if (!isShort) this.#reader.expect('Operator', ':');
      const whenFalse = this.#parseExpression(0);
      const { position } = this.#reader.current;
      condition = { type: 'conditional', position, condition, whenTrue, whenFalse };
    }
    return condition;
  }

  #parsePrimary(): Node {
    const reader = this.#reader;
    const { position, value } = reader.current;
    const unary = reader.is('Operator') && Object.hasOwn(unaryOperators, value) ? unaryOperators[value] : undefined;
    if (unary !== undefined) {
      reader.take();
      const operand = this.#parseExpression(unary.precedence);
      return this.#parsePostfix({ type: 'unary', position, operator: value, operand });
    }
    if (reader.skip('Bracket', '(')) {
      const node = this.#parseSequence();
      reader.expect('Bracket', ')');
      return this.#parsePostfix(node);
    }
    if (this.#closureDepth > 0 && (reader.is('Operator', '#') || reader.is('Operator', '.')))
      return this.#parsePointer();
    if (reader.skip('Operator', '::')) return this.#parsePostfix(this.#parseCall(reader.expect('Identifier'), []));
    return this.#parseOperand();
  }

  #parsePointer(): Node {
    const { position } = this.#reader.current;
    const isNamed = this.#reader.skip('Operator', '#') && this.#reader.is('Identifier');
    const name = isNamed ? this.#reader.take().value : '';
    if (!['', 'acc', 'index'].includes(name)) throw syntaxErrorAt(this.#reader, position, `unknown pointer #${name}`);
    return this.#parsePostfix({ type: 'pointer', position, name });
  }

  #parseOperand(): Node {
    const reader = this.#reader;
    const { kind, position, value } = reader.current;
    if (kind === 'Identifier') return this.#parseIdentifier();
    if (kind === 'Number') {
      reader.take();
      return { type: 'literal', position, value: this.#numberOf(value) };
    }
    if (kind === 'String' || kind === 'Bytes') {
      reader.take();
      return this.#parsePostfix({ type: kind === 'String' ? 'literal' : 'bytes', position, value });
    }
    if (reader.is('Bracket', '[')) return this.#parsePostfix(parseList(reader, this.#parseItem));
    if (reader.is('Bracket', '{')) return this.#parsePostfix(parseMap(reader, this.#parseItem));
    throw reader.unexpected();
  }

  #numberOf(literal: string): bigint | number {
    try {
      return parseNumber(literal);
    } catch (error) {
      throw this.#reader.error(error instanceof Error ? error.message : String(error));
    }
  }

  #parseIdentifier(): Node {
    const token = this.#reader.take();
    const { position, value: name } = token;
    if (constants.has(name)) return { type: 'literal', position, value: constants.get(name) ?? null };
    if (this.#reader.is('Bracket', '(')) return this.#parsePostfix(this.#parseCall(token, []));
    return this.#parsePostfix({ type: 'identifier', position, name });
  }

  #parseCall({ position, value: name }: Token, piped: readonly Node[]): Node {
    const kinds = Object.hasOwn(closureFunctions, name) ? closureFunctions[name] : undefined;
    if (kinds !== undefined)
      return { type: 'builtin', position, name, args: this.#parseClosureArguments(kinds, piped) };
    const args = parseArguments(this.#reader, piped, this.#parseItem);
    if (this.#isBuiltin(name)) return { type: 'builtin', position, name, args };
    return { type: 'call', position, callee: { type: 'identifier', position, name }, args };
  }

  #parseClosureArguments(allKinds: readonly ArgumentKind[], piped: readonly Node[]): Node[] {
    const reader = this.#reader;
    reader.expect('Bracket', '(');
    const args = [...piped];
    const kinds = allKinds.slice(piped.length);
    for (const [index, kind] of kinds.entries()) {
      if (reader.is('Bracket', ')')) {
        if (kind.endsWith('?')) break;
        throw reader.error(`expected at least ${kinds.length} arguments`);
      }
      if (index > 0) reader.expect('Operator', ',');
      args.push(kind.startsWith('closure') ? this.#parseClosure() : this.#parseExpression(0));
    }
    reader.skip('Operator', ',');
    reader.expect('Bracket', ')');
    return args;
  }

  #parseClosure(): Node {
    const { position } = this.#reader.current;
    const hasBrackets = this.#reader.is('Bracket', '{');
    this.#closureDepth++;
    const body = hasBrackets ? this.#parseBlock() : this.#parseExpression(0);
    this.#closureDepth--;
    if (!hasBrackets && this.#reader.is('Operator', ';'))
      throw this.#reader.error('wrap predicate with brackets { and }');
    return { type: 'closure', position, body };
  }

  #parsePostfix(node: Node): Node {
    return parsePostfix(this.#reader, node, this.#parseItem);
  }
}

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['nil', null],
]);

const syntaxErrorAt = (reader: TokenReader, position: number, message: string): Error =>
  reader.error(message, { kind: 'Identifier', value: '', position });
