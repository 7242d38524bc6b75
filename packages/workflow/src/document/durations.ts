import { parseDurationMs } from '@chandlery/api';
import { WorkflowError } from '../errors.ts';

/** Milliseconds of a duration: a bare number is seconds, anything else is written as in Go (`1h30m`). */
export function durationMs(text: string | number): number {
  const trimmed = String(text).trim();
  const milliseconds = /^\d+$/.test(trimmed) ? Number(trimmed) * 1000 : parseDurationMs(trimmed);
  if (milliseconds !== undefined) return milliseconds;
  throw new WorkflowError(
    'invalid-document',
    `unable to parse ${trimmed} as a duration: time: invalid duration "${trimmed}"`,
  );
}

const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
] as const;

/** A duration for people, in its two largest units: `1 minute 30 seconds`. */
export function describeDuration(milliseconds: number): string {
  let rest = Math.floor(milliseconds / 1000);
  const parts: string[] = [];
  for (const { name, seconds } of units) {
    const count = Math.floor(rest / seconds);
    if (count > 0) parts.push(plural(count, name));
    rest %= seconds;
  }
  if (rest > 0 || parts.length === 0) parts.push(plural(rest, 'second'));
  return parts.slice(0, 2).join(' ');
}

const plural = (count: number, name: string): string => `${count} ${name}${count === 1 ? '' : 's'}`;
