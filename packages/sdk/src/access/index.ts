/** Connections with the credentials of an AccessRequest, for programs that request access themselves. */
export { ConnectionPool, type ConnectionPoolOptions } from './connection-pool.ts';
