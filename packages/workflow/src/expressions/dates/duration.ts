const unitNanoseconds: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const duration = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const maxLength = 1000;

/** Nanoseconds of a Go duration such as `1h30m` or `-1.5s`; undefined when it is none. */
export function parseDuration(text: string): bigint | undefined {
  if (text.length > maxLength || !duration.test(text)) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const nanoseconds = unitNanoseconds[unit] ?? 0n;
    total += BigInt(whole || '0') * nanoseconds;
    if (fraction !== '') total += (BigInt(fraction) * nanoseconds) / 10n ** BigInt(fraction.length);
  }
  if (total > 2n ** 63n - 1n) return undefined;
  return text.startsWith('-') ? -total : total;
}

/** A duration as Go prints it: `1h30m0s`, `1.5s`, `250ms`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const amount = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (amount < 1000n) return `${sign}${amount}ns`;
  if (amount < 1_000_000n) return `${sign}${decimal(amount, 3)}µs`;
  if (amount < 1_000_000_000n) return `${sign}${decimal(amount, 6)}ms`;
  const minutes = amount / 60_000_000_000n;
  const seconds = `${decimal(amount % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** `amount` divided by a power of ten, without zeros at the end. */
function decimal(amount: bigint, digits: number): string {
  const scale = 10n ** BigInt(digits);
  const fraction = String(amount % scale)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(amount / scale) : `${amount / scale}.${fraction}`;
}
