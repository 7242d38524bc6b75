import { ChandleryError, toError } from '@chandlery/api';
import pg from 'pg';
import { unavailable } from '../store-errors.ts';

/** Which server errors (by the beginning of their SQLSTATE) are the server's trouble rather than the request's. */
const serverTrouble = ['08', '25006', '28', '3D000', '53', '55P03', '57', '58', 'XX'];

/** Whether the server itself answered that the statement failed, so that it certainly had no effect. */
export const isRolledBack = (thrown: unknown): boolean =>
  thrown instanceof pg.DatabaseError && thrown.severity === 'ERROR';

/**
 * Whether the connection is lost, so that the same statement may work on another one. A server that accepts no connections
 * or does not respond is not tried again: that cures neither.
 */
export const isConnectionLost = (thrown: unknown): boolean =>
  thrown instanceof Error && !isRolledBack(thrown) && !isRefused(thrown) && !/time-?out/i.test(thrown.message);

/** Whether another server may do better: this one is lost, accepts no connections, is silent, shuts down, or takes no writes. */
export const isHostTrouble = (thrown: unknown): boolean =>
  thrown instanceof pg.DatabaseError
    ? ['25006', '57P01', '57P02', '57P03', '53300'].includes(codeOf(thrown))
    : thrown instanceof Error && !(thrown instanceof ChandleryError);

/** Several addresses make several rejections. */
const isRefused = (thrown: unknown): boolean =>
  thrown instanceof AggregateError ? thrown.errors.every(isRefused) : codeOf(thrown) === 'ECONNREFUSED';

/** Converts anything thrown while using the server at `place` (host and port, never credentials). */
export function postgresError(thrown: unknown, place: string): ChandleryError {
  if (thrown instanceof ChandleryError) return thrown;
  if (isRolledBack(thrown) && !serverTrouble.some(state => codeOf(thrown).startsWith(state))) return toError(thrown);
  return unavailable(`PostgreSQL at ${place}: ${messageOf(thrown)}`, thrown);
}

/** The same for a commit in progress: unless the server rejected it, its outcome is unknown. */
export function commitError(thrown: unknown, place: string): ChandleryError {
  if (thrown instanceof ChandleryError || isRolledBack(thrown)) return postgresError(thrown, place);
  const reason = `the connection to PostgreSQL at ${place} broke during a write, so its outcome is unknown: ${messageOf(thrown)}`;
  return unavailable(reason, thrown);
}

const codeOf = (thrown: unknown): string => (thrown as { code?: string }).code ?? '';

/** Several addresses tried in vain make an error without a message of its own. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(messageOf).join('; ');
  return thrown instanceof Error ? thrown.message : String(thrown);
}
