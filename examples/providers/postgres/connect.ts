import pg from 'pg';
import type { Server } from './server-access.ts';

/** Runs something on a database of the server as its administrator. */
export async function asAdministrator<T>(
  { address, secrets: { password } }: Server,
  act: (client: pg.Client) => Promise<T>,
  database = 'postgres',
): Promise<T> {
  const client = new pg.Client({
    ...address,
    user: 'postgres',
    password,
    database,
    connectionTimeoutMillis: 5000,
    query_timeout: 20_000,
  });
  // A connection that breaks shows in what waits for it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await act(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const codesOfAbsence = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02', '57P03']);

/** Whether an error says that the server is starting, stopping or unreachable. */
export function isUnreachable(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string };
  return codesOfAbsence.has(code ?? '') || /^(Connection terminated|timeout expired)/.test(message);
}
