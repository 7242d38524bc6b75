/** Connections by the credentials that an AccessRequest was granted, for programs that ask for access themselves. */
export { ConnectionPool, type ConnectionPoolOptions } from './connection-pool.ts';
