import type { Answer, CallOptions } from '../caller.ts';
import { corePath, groupPath } from '../objects.ts';
import { cluster, type HostileWorld } from './hostile-world.ts';

/** A request that is made to cost as much as possible for its size. */
export interface HostileRow {
  readonly what: string;
  /** How many of whatever it is; the larger size is ten times this. */
  readonly size: number;
  /** What may be answered at either size. */
  readonly codes: readonly number[];
  /** Makes what the request needs. */
  readonly prepare?: (world: HostileWorld, size: number) => Promise<void>;
  readonly send: (world: HostileWorld, size: number) => Promise<Answer>;
}

export const core = corePath(cluster, 'default');
export const custom = groupPath(cluster, 'hostile.example.org/v1', 'default');
export const crds = groupPath(cluster, 'apiextensions.k8s.io/v1/customresourcedefinitions');
export const dry = 'dryRun=All';

/** So many of something. */
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** An object with so many fields. */
export const fields = <T>(count: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(times(count, index => [`k${index}`, make(index)]));

/** A text of a and B without a pattern in it. */
export const noise = (length: number): string =>
  times(Math.ceil(length / 8), i => (Math.imul(i + 1, 2654435761) >>> 24).toString(2).padStart(8, '0'))
    .join('')
    .slice(0, length)
    .replaceAll('0', 'a')
    .replaceAll('1', 'B');

/** A row that sends one body. */
export const bodyRow = (
  what: string,
  size: number,
  path: string,
  body: (size: number) => unknown,
  { codes = [200, 201, 400, 413, 422], ...options }: CallOptions & { readonly codes?: readonly number[] } = {},
): HostileRow => {
  // Made once for each size: the client's work is not what is measured.
  const made = new Map<number, string | Uint8Array>();
  const bodyOf = (length: number): string | Uint8Array => {
    const known = made.get(length);
    if (known !== undefined) return known;
    const value = body(length);
    const bytes = typeof value === 'string' || value instanceof Uint8Array ? value : JSON.stringify(value);
    made.set(length, bytes);
    return bytes;
  };
  return {
    what,
    size,
    codes,
    prepare: async (_, length) => void bodyOf(length),
    send: ({ tenant }, length) => tenant.send(path, { ...options, body: bodyOf(length) }),
  };
};

export const thing = (spec: object, name = 'hostile') => ({
  apiVersion: 'hostile.example.org/v1',
  kind: 'Thing',
  metadata: { name },
  spec,
});

/** The same without caching what is sent, for paths that depend on the size. */
export const requestRow = (
  what: string,
  size: number,
  request: (size: number) => { readonly path: string } & CallOptions,
  codes: readonly number[] = [200, 400, 404, 414, 422, 431],
): HostileRow => ({
  what,
  size,
  codes,
  send: ({ tenant }, length) => {
    const { path, ...options } = request(length);
    return tenant.send(path, options);
  },
});
