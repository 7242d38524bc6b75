import { logRecordIn } from './log-record.ts';

const maxLength = 400;
/** Of a log, its end counts: tenants write what is read here. */
const maxLogLength = 64 * 1024;
/** Longer lines are no frames of a stack; to match them takes time with the square of their length. */
const maxFrameLength = 500;

/** An uncaught error of Node.js: type, code, and the first line of the message. */
const uncaught = /^((?:[A-Z]\w*)?Error)(?: \[\w+\])?: (\S.*)$/;
/** The line above an uncaught error that names the place in the source, unless it is in an installed package. */
const place = /^(?:file:\/\/)?(?!.*\/node_modules\/)\/.*?([^/]+):(\d+)$/;
/** A frame of a stack outside of Node.js and of installed packages. */
const frame = /^\s+at (?:.*[( ])?(?:file:\/\/)?(?!.*\/node_modules\/)\/[^():]*?([^/():]+):(\d+):\d+\)?(?: \{)?$/;

/**
 * The first error in the log of a program that has ended, in one line, with file and line where the log has them.
 * Undefined when the log has none in a form that is known: an uncaught error of Node.js, a last line that begins with
 * `Error:`, or a JSON line of level `error`.
 */
export function firstErrorIn(log: string): string | undefined {
  const lines = log.slice(-maxLogLength).split(/\r?\n/);
  const found = uncaughtError(lines) ?? statedError(lines) ?? loggedError(lines);
  return found === undefined || found.length <= maxLength ? found : `${found.slice(0, maxLength - 1)}…`;
}

function uncaughtError(lines: readonly string[]): string | undefined {
  if (!lines.some(line => /^Node\.js v\d+/.test(line))) return undefined;
  const at = lines.findIndex(line => uncaught.test(line));
  const [, type = '', message = ''] = uncaught.exec(lines[at] ?? '') ?? [];
  if (message === '') return undefined;
  const where = placeIn(lines.slice(0, at).toReversed(), place) ?? placeIn(lines.slice(at + 1), frame);
  return `${type === 'Error' ? '' : `${type}: `}${message}${where === undefined ? '' : ` (${where})`}`;
}

function placeIn(lines: readonly string[], pattern: RegExp): string | undefined {
  const frames = lines.filter(text => text.length <= maxFrameLength);
  const [, file, line] = frames.map(text => pattern.exec(text)).find(match => match !== null) ?? [];
  return file === undefined ? undefined : `${file}:${line}`;
}

/** Programs may end with a sentence of their own. */
const statedError = (lines: readonly string[]): string | undefined =>
  lines.findLast(line => /^error: \S/i.test(line))?.replace(/^error: /i, '');

function loggedError(lines: readonly string[]): string | undefined {
  const record = lines.map(logRecordIn).findLast(found => found?.level === 'error');
  const texts = [record?.message, record?.error?.message].filter(text => typeof text === 'string');
  return texts.length === 0 ? undefined : texts.join(': ');
}
