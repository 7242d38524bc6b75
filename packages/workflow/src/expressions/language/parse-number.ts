const maxInt = 2n ** 63n - 1n;

/** The value of a number literal: a bigint for integers, a number for floats. Throws an Error that says why there is none. */
export function parseNumber(literal: string): bigint | number {
  const text = literal.replaceAll('_', '').toLowerCase();
  const base = basesByPrefix[text.slice(0, 2)];
  if (base === undefined && /[.e]/.test(text)) return parseFloatLiteral(text);
  const kind = base ?? 'integer';
  if (kind !== 'integer' && text.length === 2) throw new Error(`invalid ${kind} literal: ${syntaxProblem(text)}`);
  if (/[.]/.test(text) || (kind !== 'hex' && text.includes('e')))
    throw new Error(`invalid ${kind} literal: ${syntaxProblem(text)}`);
  const value = BigInt(text);
  if (value > maxInt)
    throw new Error(`invalid ${kind} literal: strconv.ParseInt: parsing "${text}": value out of range`);
  return value;
}

const basesByPrefix: Readonly<Record<string, string>> = { '0x': 'hex', '0b': 'binary', '0o': 'octal' };

const syntaxProblem = (text: string): string => `strconv.ParseInt: parsing "${text}": invalid syntax`;

function parseFloatLiteral(text: string): number {
  const value = Number(text);
  if (Number.isNaN(value))
    throw new Error(`invalid float literal: strconv.ParseFloat: parsing "${text}": invalid syntax`);
  if (!Number.isFinite(value))
    throw new Error(`invalid float literal: strconv.ParseFloat: parsing "${text}": value out of range`);
  return value;
}
