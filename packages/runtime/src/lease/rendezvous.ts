/** A 32-bit hash of a text: FNV-1a with a final mix, so that similar texts land far apart. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The shard of a key, the same in every process. */
export const shardOfKey = (key: string, shards: number): number => hashText(key) % shards;

/**
 * Who of the members gets a shard: the one with the highest score (rendezvous hashing). When a member comes or goes, only
 * its own shards move. Undefined when there are no members.
 */
export function memberOfShard(shard: number, members: readonly string[]): string | undefined {
  let best: { readonly member: string; readonly score: number } | undefined;
  for (const member of members) {
    const score = hashText(`${member}/${shard}`);
    const isBetter = best === undefined || score > best.score || (score === best.score && member < best.member);
    if (isBetter) best = { member, score };
  }
  return best?.member;
}
