import { hash } from 'node:crypto';

/** The version of a resource: 64 bits of the hash of its bytes, equal on every replica. */
export const versionOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex').slice(0, 16);
