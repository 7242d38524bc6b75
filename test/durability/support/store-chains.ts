import type { Commit, Delete, ObjectKey, Put } from '@chandlery/kernel';

/** The objects of a chain besides its marker. */
export const width = 5;
/** In every so many steps the chain's objects are deleted instead of written; the marker stays. */
const deleteEvery = 5;

export const resource = 'test/things';
export const markerName = 'marker';

export const isRemoved = (step: number): boolean => step % deleteEvery === 0;

export const keyOf = (chain: number, name: string): ObjectKey => ({
  cluster: `c${chain}`,
  resource,
  namespace: '',
  name,
});
export const objectNames = Array.from({ length: width }, (_, no) => `object-${no}`);

/** The revisions of a chain's objects, by name; those that are absent have none. */
export type Revisions = ReadonlyMap<string, number>;

/**
 * The commit that takes a whole chain to a step: the marker and all its objects, on condition that they are as they
 * were left. Applied in part, or twice, or on a wrong state, it would show. `paddingBytes`: how much larger each object is.
 */
export function commitTo(chain: number, step: number, known: Revisions, paddingBytes = 0): Commit {
  const value = { bytes: Buffer.from(JSON.stringify({ step, padding: 'x'.repeat(paddingBytes) })), splice: 0 };
  const expect = (name: string): Put['expect'] => {
    const revision = known.get(name);
    return revision === undefined ? { type: 'absent' } : { type: 'revision', revision };
  };
  const put = (name: string): Put => ({
    type: 'put',
    key: keyOf(chain, name),
    expect: expect(name),
    value,
    terms: [chain, step % 7],
    unique: [`${chain} ${name}`],
  });
  const remove = (name: string): Delete => ({ type: 'delete', key: keyOf(chain, name), expect: expect(name), value });
  // Before the first step there is nothing to delete.
  const others = isRemoved(step) ? objectNames.filter(name => known.has(name)).map(remove) : objectNames.map(put);
  return { writes: [put(markerName), ...others] };
}

export const stepOfBytes = (bytes: Uint8Array): number =>
  (JSON.parse(Buffer.from(bytes).toString()) as { step: number }).step;
