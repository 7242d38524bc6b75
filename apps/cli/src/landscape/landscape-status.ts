import { isError } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';
import { logicalClusters } from '../clusters/logical-cluster.ts';

/** One line of `/readyz?verbose`. */
export interface Check {
  readonly name: string;
  readonly isOk: boolean;
  readonly reason: string;
}

/** The status of a running landscape. */
export interface LandscapeStatus {
  readonly isReady: boolean;
  readonly version: string;
  /** `sqlite` or `postgres` when a readiness check named `store-…` says so, otherwise `unknown`. */
  readonly store: string;
  /** Undefined when they cannot be counted: the store is down, or the caller is a tenant. */
  readonly logicalClusters?: number;
  readonly checks: readonly Check[];
}

/** Reads the status of a landscape. */
export async function readStatus(client: HttpClient): Promise<LandscapeStatus> {
  const ready = await client.raw('/readyz', { isFromRoot: true, query: { verbose: '' }, accept: [503] });
  const checks = parseChecks(await ready.text());
  const version = await client.raw('/version', { isFromRoot: true });
  const { gitVersion } = (await version.json()) as { gitVersion?: string };
  const isReady = ready.status === 200;
  const count = await countClusters(client).catch((error: unknown) => {
    // A landscape that is not ready reports why in its checks, and tenants may not see all clusters.
    if (isReady && !isError(error, 'Unauthorized', 'Forbidden')) throw error;
    return undefined;
  });
  return {
    isReady,
    version: gitVersion ?? 'unknown',
    store: storeOf(checks),
    ...(count === undefined ? {} : { logicalClusters: count }),
    checks,
  };
}

async function countClusters(client: HttpClient): Promise<number> {
  let count = 0;
  for await (const _ of client.listAll(logicalClusters)) count++;
  return count;
}

/** Reads `[+]name ok` and `[-]name failed: reason`. */
export function parseChecks(text: string): readonly Check[] {
  return [...text.matchAll(/^\[([+-])\](\S+) (?:ok|failed)(?:: (.*))?$/gm)].map(([, sign, name = '', reason = '']) => ({
    name,
    isOk: sign === '+',
    reason,
  }));
}

const storeOf = (checks: readonly Check[]): string =>
  checks.map(({ name }) => /^store[-:](.+)$/.exec(name)?.[1]).find(kind => kind !== undefined) ?? 'unknown';
