import type { RevisionBounds } from './store.ts';

/** A namespace of a logical cluster and how many bytes its kept versions take. */
export interface Room {
  readonly cluster: string;
  readonly namespace: string;
  readonly bytes: number;
}

/** A version that may be removed. */
export interface Removable {
  readonly revision: number;
  readonly size: number;
  readonly expires_at: number;
}

/** What is too much: who takes the room is read once, for all batches that remove it. */
export class Surplus {
  readonly #bounds: RevisionBounds;
  readonly #takenBy: Map<Room, number>;
  #bytes: number;

  constructor(bounds: RevisionBounds, rooms: readonly Room[]) {
    this.#bounds = bounds;
    this.#takenBy = new Map(rooms.map(room => [room, room.bytes]));
    this.#bytes = rooms.reduce((sum, { bytes }) => sum + bytes, 0) - bounds.keptBytes;
  }

  /** Whether it was found for these bounds. */
  isFor({ nowMs, maxBytes, keptBytes }: RevisionBounds): boolean {
    const known = this.#bounds;
    return known.nowMs === nowMs && known.maxBytes === maxBytes && known.keptBytes === keptBytes;
  }

  /**
   * Who is to give up versions: of the logical cluster that takes most the namespace that takes most, since who has a cluster
   * makes as many namespaces as they like. Undefined: nothing is too much any more.
   */
  get largest(): Room | undefined {
    if (this.#bytes <= 0) return undefined;
    const takenByCluster = new Map<string, number>();
    for (const [{ cluster }, bytes] of this.#takenBy)
      takenByCluster.set(cluster, (takenByCluster.get(cluster) ?? 0) + bytes);
    const largest = keyOfMost(takenByCluster);
    return keyOfMost([...this.#takenBy].filter(([{ cluster }]) => cluster === largest));
  }

  /** Chooses those that expire next, `limit` at most, of the first of them in each collection, and counts them as removed. */
  choose(room: Room, candidates: readonly Removable[], limit: number): readonly number[] {
    const chosen: number[] = [];
    let taken = this.#takenBy.get(room) ?? 0;
    for (const { revision, size } of candidates.toSorted(compareExpiry)) {
      if (chosen.length === limit || this.#bytes <= 0) break;
      chosen.push(revision);
      this.#bytes -= size;
      taken -= size;
    }
    // Without a candidate others have removed them meanwhile.
    this.#takenBy.set(room, chosen.length === 0 ? 0 : taken);
    return chosen;
  }
}

const compareExpiry = (one: Removable, other: Removable): number =>
  one.expires_at - other.expires_at || one.revision - other.revision;

function keyOfMost<T>(entries: Iterable<readonly [T, number]>): T | undefined {
  let [key, most]: [T | undefined, number] = [undefined, 0];
  for (const [other, bytes] of entries) if (bytes > most) [key, most] = [other, bytes];
  return key;
}
