import { createClient, type HttpClient } from '@chandlery/client';
import type { CommandContext } from '../command.ts';
import { connectionOf, serverOfCluster } from './connect.ts';

/** A client of any logical cluster, as the administrator. */
export function connectTo(context: CommandContext, cluster: string): HttpClient {
  const connection = connectionOf(context);
  return createClient({ ...connection, server: serverOfCluster(connection.server, cluster) });
}
