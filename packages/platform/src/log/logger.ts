import { type Clock, systemClock } from '../time/clock.ts';
import { maskSecrets, redactField } from './redact.ts';

/** From chatty to grave. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
/** How grave a line is. */
export type LogLevel = (typeof logLevels)[number];

/** For people, for machines. */
export const logFormats = ['text', 'json'] as const;
/** How lines are written. */
export type LogFormat = (typeof logFormats)[number];

/** The fields of a line besides its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes structured log lines. Secrets in fields and messages are hidden. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to each of its lines. */
  child(fields: LogFields): Logger;
  /** Ask before gathering fields that are dear. */
  isEnabled(level: LogLevel): boolean;
}

/** What is logged, and in which form. */
export interface LogSettings {
  level: LogLevel;
  format: LogFormat;
}

/** How a logger writes, and what. */
export interface LoggerOptions {
  /** Default `info`. */
  readonly level?: LogLevel;
  /** Default: `text` when the standard error output is a terminal, `json` otherwise. */
  readonly format?: LogFormat;
  /** Instead of both: settings that the logger and its children look at for each line, so that they can be changed. */
  readonly settings?: Readonly<LogSettings>;
  /** Takes a line with its end. Default: the standard error output. */
  readonly write?: (line: string) => void;
  readonly clock?: Clock;
  readonly fields?: LogFields;
}

interface LogLine {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** Makes a logger. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { write = line => void process.stderr.write(line), clock = systemClock, fields: own = {} } = options;
  const settings = options.settings ?? settingsOf(options);
  const isEnabled = (level: LogLevel): boolean => logLevels.indexOf(level) >= logLevels.indexOf(settings.level);
  const log = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (!isEnabled(level)) return;
    const all = redactAll({ ...own, ...fields });
    const render = settings.format === 'json' ? renderJson : renderText;
    write(`${render({ time: clock.now().toISOString(), level, message: maskSecrets(message), fields: all })}\n`);
  };
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: fields => createLogger({ ...options, settings, fields: { ...own, ...fields } }),
    isEnabled,
  };
}

const settingsOf = ({ level = 'info', format }: LoggerOptions): LogSettings => ({
  level,
  format: format ?? (process.stderr.isTTY ? 'text' : 'json'),
});

/** Writes nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
  isEnabled: () => false,
};

const redactAll = (fields: LogFields): LogFields =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, redactField(key, value)]));

/** The line's own keys come first for readers and win over fields of the same name. */
const renderJson = ({ fields, ...own }: LogLine): string => JSON.stringify({ ...own, ...fields, ...own });

function renderText({ time, level, message, fields }: LogLine): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${textValue(value)}`);
  return `${time} ${level.toUpperCase().padEnd(5)} ${oneLine(message)}${pairs.join('')}`;
}

function textValue(value: unknown): string {
  if (typeof value !== 'string') return oneLine(JSON.stringify(value) ?? '');
  return /^[^\s"=\p{Cc}]+$/u.test(value) ? value : oneLine(JSON.stringify(value));
}

/** One event, one line: a logged value cannot forge a second line or steer the terminal. */
const oneLine = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]/gu, char =>
    char === '\n' ? '\\n' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
