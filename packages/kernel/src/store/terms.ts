/**
 * Index terms: 53-bit hashes of short texts, so that indexes hold integers and nothing needs to be interned or cleaned.
 * Collisions are possible and have no effect: queries by term filter the candidates again.
 */
export function hashTerm(text: string): number {
  let high = 0x811c9dc5;
  let low = 0x1b873593;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x85ebca6b);
    low ^= low >>> 13;
  }
  high ^= high >>> 15;
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
}

/** Scoped to one collection, so that an index lookup never meets another tenant's rows. */
const inCollection = (cluster: string, resource: string, rest: string): number =>
  hashTerm(`${cluster}|${resource}|${rest}`);

export const labelTerm = (cluster: string, resource: string, key: string, value: string): number =>
  inCollection(cluster, resource, `l|${key}=${value}`);

export const fieldTerm = (cluster: string, resource: string, path: string, value: string): number =>
  inCollection(cluster, resource, `f|${path}=${value}`);

/** Objects in deletion, over all logical clusters: what housekeeping takes up again after a restart. */
export const terminatingTerm = hashTerm('terminating');

/** Dependants of an owner, over all resources of a logical cluster. */
export const ownerTerm = (cluster: string, uid: string): number => hashTerm(`${cluster}|o|${uid}`);
