const verb = /%([-+ 0]*)(\d*)([a-zA-Z%])/g;

/** A number in a printf format of Go with one verb: `%d`, `%03d`, `%x`, `%X`, `%o`, `%b`, `%s` and `%v` alike. */
export function formatSequenceNumber(format: string, value: number): string {
  if (format === '') return String(value);
  return format.replace(verb, (whole, flags: string, width: string, letter: string) => {
    if (letter === '%') return '%';
    const digits = digitsOf(Math.abs(value), letter);
    if (digits === undefined) return whole === '%s' ? `%!s(int=${value})` : `%!${letter}(int=${value})`;
    return pad(digits, value < 0 ? '-' : flags.includes('+') ? '+' : '', flags, Number(width));
  });
}

function digitsOf(value: number, letter: string): string | undefined {
  switch (letter) {
    case 'd':
    case 'v':
      return value.toString(10);
    case 'x':
      return value.toString(16);
    case 'X':
      return value.toString(16).toUpperCase();
    case 'o':
      return value.toString(8);
    case 'b':
      return value.toString(2);
    default:
      return undefined;
  }
}

function pad(digits: string, sign: string, flags: string, width: number): string {
  if (flags.includes('-')) return (sign + digits).padEnd(width, ' ');
  if (flags.includes('0')) return sign + digits.padStart(width - sign.length, '0');
  return (sign + digits).padStart(width, ' ');
}
