import { interfaceTypeName } from '../language/compile-operators.ts';
import { toIndex } from '../values/arithmetic.ts';
import { bytePosition } from '../values/byte-text.ts';
import { fail } from '../values/failure.ts';
import { isList } from '../values/value.ts';
import { argument, type BuiltinTable, defineBuiltins, textArgument } from './arguments.ts';
import { replaceText, splitText, trimCharacters, trimSpace } from './text.ts';

const maxRepeat = 1_000_000;

/** The language's functions for texts. */
export const textBuiltins: BuiltinTable = defineBuiltins({
  trim: [
    1,
    2,
    (args, frame) => {
      const text = textArgument(args, 0, frame);
      return args.length === 1 ? trimSpace(text) : trimCharacters(text, textArgument(args, 1, frame));
    },
  ],
  trimPrefix: [
    1,
    2,
    (args, frame) => {
      const text = textArgument(args, 0, frame);
      const prefix = args.length === 2 ? textArgument(args, 1, frame) : ' ';
      return text.startsWith(prefix) ? text.slice(prefix.length) : text;
    },
  ],
  trimSuffix: [
    1,
    2,
    (args, frame) => {
      const text = textArgument(args, 0, frame);
      const suffix = args.length === 2 ? textArgument(args, 1, frame) : ' ';
      return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
    },
  ],
  upper: [1, 1, (args, frame) => textArgument(args, 0, frame).toUpperCase()],
  lower: [1, 1, (args, frame) => textArgument(args, 0, frame).toLowerCase()],
  split: [2, 3, (args, frame) => splitArguments(args, frame, false)],
  splitAfter: [2, 3, (args, frame) => splitArguments(args, frame, true)],
  replace: [
    3,
    4,
    (args, frame) => {
      const [text, from, to] = [0, 1, 2].map(index => textArgument(args, index, frame));
      const max = args.length === 4 ? toIndex(argument(args, 3)) : -1;
      return replaceText(text ?? '', from ?? '', to ?? '', max, frame.meter);
    },
  ],
  repeat: [
    2,
    2,
    (args, frame) => {
      const text = textArgument(args, 0, frame);
      const count = toIndex(argument(args, 1));
      if (count < 0) fail(`invalid argument for repeat (expected positive integer, got ${count})`);
      if (count > maxRepeat) fail('memory budget exceeded');
      frame.meter.chargeText(text.length * count);
      return text.repeat(count);
    },
  ],
  join: [
    1,
    2,
    (args, frame) => {
      const list = argument(args, 0);
      const separator = args.length === 2 ? textArgument(args, 1, frame) : '';
      if (!isList(list)) return fail(`invalid argument for join (type ${interfaceTypeName(list)})`);
      frame.meter.chargeText(list.length * separator.length);
      return list.map((_, index) => textArgument(list, index, frame)).join(separator);
    },
  ],
  indexOf: [2, 2, (args, frame) => position(args, frame, (text, part) => text.indexOf(part))],
  lastIndexOf: [2, 2, (args, frame) => position(args, frame, (text, part) => text.lastIndexOf(part))],
  hasPrefix: [2, 2, (args, frame) => textArgument(args, 0, frame).startsWith(textArgument(args, 1, frame))],
  hasSuffix: [2, 2, (args, frame) => textArgument(args, 0, frame).endsWith(textArgument(args, 1, frame))],
});

type Args = Parameters<BuiltinTable[string]>[0];
type Frame = Parameters<BuiltinTable[string]>[1];

function splitArguments(args: Args, frame: Frame, keepsSeparator: boolean): string[] {
  const max = args.length === 3 ? toIndex(argument(args, 2)) : -1;
  const parts = splitText(textArgument(args, 0, frame), textArgument(args, 1, frame), max, keepsSeparator);
  frame.meter.charge(parts.length);
  return parts;
}

function position(args: Args, frame: Frame, find: (text: string, part: string) => number): bigint {
  const text = textArgument(args, 0, frame);
  return BigInt(bytePosition(text, find(text, textArgument(args, 1, frame))));
}
