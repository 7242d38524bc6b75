/** How full something is. */
export type Level = 'closed' | 'full' | 'scarce' | 'free';

/** From this share of the limit on, something is nearly full. */
const scarceShare = 0.8;

/** How full something is that has a limit. */
export function levelOf(used: number, limit: number): Level {
  if (limit === 0) return 'closed';
  if (used >= limit) return 'full';
  return used / limit >= scarceShare ? 'scarce' : 'free';
}
