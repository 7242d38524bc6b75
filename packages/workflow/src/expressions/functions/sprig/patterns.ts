import { Failure } from '../../values/failure.ts';
import type { Meter } from '../../values/meter.ts';
import { Pattern, type PatternMatch } from '../../values/pattern.ts';
import type { Value } from '../../values/value.ts';
import { type Arguments, type SprigTable, sprig } from './signature.ts';

function matches(args: Arguments, meter: Meter): boolean {
  return new Pattern(args.text(0)).test(args.text(1), meter);
}

function findAll(args: Arguments, meter: Meter): Value {
  const found = new Pattern(args.text(0)).findAll(args.text(1), args.int(2), meter);
  return found.length === 0 ? null : found.map(({ groups }) => groups[0] ?? '');
}

const find = (args: Arguments, meter: Meter): string =>
  new Pattern(args.text(0)).findAll(args.text(1), 1, meter)[0]?.groups[0] ?? '';

/** Go's expansion of `$1`, `${1}`, `${name}` and `$$`. */
function expand(replacement: string, { groups }: PatternMatch, names: Readonly<Record<string, number>>): string {
  return replacement.replaceAll(
    /\$(?:(\$)|\{(\w+)\}|(\w+))/g,
    (_, dollar?: string, braced?: string, plain?: string) => {
      if (dollar !== undefined) return '$';
      const name = braced ?? plain ?? '';
      const group = /^\d+$/.test(name) ? Number(name) : Object.hasOwn(names, name) ? names[name] : undefined;
      return group === undefined ? '' : (groups[group] ?? '');
    },
  );
}

function replaceAll(args: Arguments, meter: Meter, isLiteral: boolean): string {
  const pattern = new Pattern(args.text(0));
  const [text, replacement] = [args.text(1), args.text(2)];
  let result = '';
  let copied = 0;
  for (const match of pattern.findAll(text, -1, meter)) {
    const inserted = isLiteral ? replacement : expand(replacement, match, pattern.groupNames);
    meter.chargeText(inserted.length);
    result += text.slice(copied, match.start) + inserted;
    copied = match.end;
  }
  return result + text.slice(copied);
}

/** Go's Regexp.Split. */
function split(args: Arguments, meter: Meter): Value {
  const [source, text, max] = [args.text(0), args.text(1), args.int(2)];
  if (max === 0) return null;
  if (source !== '' && text === '') return [''];
  const parts: string[] = [];
  let [start, end] = [0, 0];
  for (const match of new Pattern(source).findAll(text, max, meter)) {
    if (max > 0 && parts.length === max - 1) break;
    end = match.start;
    if (match.end !== 0) parts.push(text.slice(start, end));
    start = match.end;
  }
  return end === text.length ? parts : [...parts, text.slice(start)];
}

const quoteMeta = (text: string): string => text.replaceAll(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`);

/** The same function with and without `must`. */
const pattern = (name: string, signature: string, body: (args: Arguments, meter: Meter) => Value): SprigTable => {
  const callable = sprig(signature, (args, { meter }) => body(args, meter));
  return { [`regex${name}`]: callable, [`mustRegex${name}`]: callable };
};

/** sprig's functions for regular expressions. */
export const patternFunctions: SprigTable = {
  ...pattern('Match', 'string string', matches),
  // A malformed pattern matches nothing.
  regexMatch: sprig('string string', (args, { meter }) => {
    try {
      return matches(args, meter);
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  }),
  ...pattern('FindAll', 'string string int', findAll),
  ...pattern('Find', 'string string', find),
  ...pattern('ReplaceAll', 'string string string', (args, meter) => replaceAll(args, meter, false)),
  ...pattern('ReplaceAllLiteral', 'string string string', (args, meter) => replaceAll(args, meter, true)),
  ...pattern('Split', 'string string int', split),
  regexQuoteMeta: sprig('string', args => quoteMeta(args.text(0))),
};
