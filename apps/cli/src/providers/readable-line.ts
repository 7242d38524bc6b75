import { logRecordIn } from '@chandlery/api';

/** Frames of Node.js, of installed packages, and of our own in a clone. */
const foreignFrame = /^\s+at .*(node:|\/node_modules\/|\/packages\/(api|client|platform|runtime|sdk)\/src\/)/;

const ownFrames = (stack: string): string =>
  stack
    .split('\n')
    .slice(1)
    .filter(line => !foreignFrame.test(line))
    .join('\n');

/**
 * A line of a provider's log for people: of a JSON line its level, its message, and the frames of an error in the
 * provider's own code.
 */
export function readableLine(line: string): string {
  const { level, message, stack, error } = logRecordIn(line) ?? {};
  if (typeof level !== 'string' || typeof message !== 'string') return line;
  const trace = stack ?? error?.stack;
  const more = [error?.message, typeof trace === 'string' ? ownFrames(trace) : ''];
  return [`${level}: ${message}`, ...more.filter(text => typeof text === 'string' && text !== '')].join('\n');
}
