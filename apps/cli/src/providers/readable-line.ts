import { logRecordIn } from '@chandlery/api';

/** Frames of Node.js, of installed packages, and of our own in a clone. */
const foreignFrame = /^\s+at .*(node:|\/node_modules\/|\/packages\/(api|client|platform|runtime|sdk)\/src\/)/;

const ownFrames = (stack: string): string =>
  stack
    .split('\n')
    .slice(1)
    .filter(line => !foreignFrame.test(line))
    .join('\n');

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/**
 * A line of a provider's log for people: of a JSON line its level, its message, what it is about, and the frames of an
 * error in the provider's own code.
 */
export function readableLine(line: string): string {
  const { level, message, what, key, stack, error } = logRecordIn(line) ?? {};
  if (typeof level !== 'string' || typeof message !== 'string') return line;
  const trace = stack ?? error?.stack;
  const more = [error?.message, typeof trace === 'string' ? ownFrames(trace) : ''];
  const about = [what, key].filter(isText);
  const subject = about.length === 0 ? '' : ` (${about.join(', ')})`;
  return [`${level}: ${message}${subject}`, ...more.filter(isText)].join('\n');
}
