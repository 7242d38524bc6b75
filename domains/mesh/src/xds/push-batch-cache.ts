import type { StreamMode } from './messages.ts';
import type { NameSet } from './name-index.ts';
import type { SharedResponse } from './response.ts';
import type { Substream } from './substream.ts';

/** What an answer depends on besides the names that were asked for. */
interface Told {
  readonly mode: StreamMode;
  readonly generation: number;
  readonly dirty: Substream['dirty'];
  readonly recent: Substream['recent'];
  readonly response: SharedResponse;
}

/**
 * What streams were told in one turn, in which the world stands still. Those that come next have mostly asked for the
 * same, have the same, and are to be told the same: that takes no second look.
 */
export class TurnMemo {
  readonly #told = new Map<NameSet<unknown>, Told>();

  /** @param generation of the view that the substream is told from */
  find(
    { names, forced, known, dirty, recent }: Substream,
    mode: StreamMode,
    generation: number,
  ): SharedResponse | undefined {
    const told = names && this.#told.get(names);
    if (told === undefined || forced !== undefined || known !== undefined) return undefined;
    const isSame =
      told.dirty === dirty && told.recent === recent && told.mode === mode && told.generation === generation;
    return isSame ? told.response : undefined;
  }

  /** To be called with what the substream was before it was told. */
  note({ names, forced, known, dirty, recent }: Substream, told: Pick<Told, 'mode' | 'generation' | 'response'>): void {
    if (names !== undefined && forced === undefined && known === undefined)
      this.#told.set(names, { ...told, dirty, recent });
  }
}
