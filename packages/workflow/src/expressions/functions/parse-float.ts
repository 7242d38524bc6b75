const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const special = /^([+-]?)(?:(inf(?:inity)?)|nan)$/i;

/** Go's strconv.ParseFloat; undefined for what it refuses. */
export function parseGoFloat(text: string): number | undefined {
  if (decimal.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  const match = special.exec(text);
  if (match === null) return undefined;
  if (match[2] === undefined) return Number.NaN;
  return match[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
