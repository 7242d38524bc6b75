import type { Node } from './node.ts';
import type { Token } from './token.ts';
import { tokenText } from './token.ts';
import type { TokenReader } from './token-reader.ts';

type ParseNode = () => Node;

/** `[a, b]`; a comma may follow the last item. */
export function parseList(reader: TokenReader, parseItem: ParseNode): Node {
  const { position } = reader.expect('Bracket', '[');
  const items: Node[] = [];
  while (!reader.is('Bracket', ']')) {
    if (items.length > 0) reader.expect('Operator', ',');
    if (reader.is('Bracket', ']')) break;
    items.push(parseItem());
  }
  reader.expect('Bracket', ']');
  return { type: 'list', position, items };
}

/** `{a: 1, 'b': 2, (key): 3}`. */
export function parseMap(reader: TokenReader, parseItem: ParseNode): Node {
  const { position } = reader.expect('Bracket', '{');
  const pairs: (readonly [Node, Node])[] = [];
  while (!reader.is('Bracket', '}')) {
    if (pairs.length > 0) reader.expect('Operator', ',');
    if (reader.is('Bracket', '}')) break;
    const key = parseKey(reader, parseItem);
    reader.expect('Operator', ':');
    pairs.push([key, parseItem()]);
  }
  reader.expect('Bracket', '}');
  return { type: 'map', position, pairs };
}

function parseKey(reader: TokenReader, parseItem: ParseNode): Node {
  const { current } = reader;
  if (reader.is('Number') || reader.is('String') || reader.is('Identifier')) {
    reader.take();
    return { type: 'literal', position: current.position, value: current.value };
  }
  if (reader.is('Bracket', '(')) return parseItem();
  throw reader.error(
    `a map key must be a quoted string, a number, a identifier, or an expression enclosed in parentheses (unexpected token ${tokenText(current)})`,
  );
}

/** `(a, b)`, behind the arguments that a pipe gives. */
export function parseArguments(reader: TokenReader, piped: readonly Node[], parseItem: ParseNode): Node[] {
  reader.expect('Bracket', '(');
  const args = [...piped];
  while (!reader.is('Bracket', ')')) {
    if (args.length > piped.length) reader.expect('Operator', ',');
    if (reader.is('Bracket', ')')) break;
    args.push(parseItem());
  }
  reader.expect('Bracket', ')');
  return args;
}

/** What may follow a value: `.name`, `?.name`, `[index]`, `[from:to]`, `.method(…)`. */
export function parsePostfix(reader: TokenReader, start: Node, parseItem: ParseNode): Node {
  let node = start;
  for (;;) {
    if (reader.is('Operator', '.') || reader.is('Operator', '?.')) {
      const isOptional = reader.take().value === '?.';
      node =
        isOptional && reader.is('Bracket', '[')
          ? parseIndex(reader, node, true, parseItem)
          : parseName(reader, node, isOptional, parseItem);
    } else if (reader.is('Bracket', '[')) node = parseIndex(reader, node, false, parseItem);
    else return node;
  }
}

function parseName(reader: TokenReader, base: Node, isOptional: boolean, parseItem: ParseNode): Node {
  const token = reader.take();
  if (!isName(token)) throw reader.error('expected name');
  const { position } = token;
  const property: Node = { type: 'literal', position, value: token.value };
  const inner = base.type === 'chain' ? base.node : base;
  const member: Node = { type: 'member', position, base: inner, property, isOptional };
  const node: Node = reader.is('Bracket', '(')
    ? { type: 'call', position, callee: member, args: parseArguments(reader, [], parseItem) }
    : member;
  return isOptional || base.type === 'chain' ? { type: 'chain', position, node } : node;
}

/** Operators that are words, such as `not`, are names behind a dot. */
const isName = ({ kind, value }: Token): boolean =>
  kind === 'Identifier' || (kind === 'Operator' && /^[a-z]+$/i.test(value));

function parseIndex(reader: TokenReader, base: Node, isOptional: boolean, parseItem: ParseNode): Node {
  const { position } = reader.expect('Bracket', '[');
  const from = reader.is('Operator', ':') ? undefined : parseItem();
  if (reader.skip('Operator', ':')) {
    const to = reader.is('Bracket', ']') ? undefined : parseItem();
    reader.expect('Bracket', ']');
    return { type: 'slice', position, base, from, to };
  }
  reader.expect('Bracket', ']');
  if (from === undefined) throw reader.unexpected();
  const member: Node = { type: 'member', position, base, property: from, isOptional };
  return isOptional ? { type: 'chain', position, node: member } : member;
}
