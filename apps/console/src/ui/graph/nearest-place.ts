/** A node with the middle of its place in the drawing. */
export interface Place {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

export type Direction = 'left' | 'right' | 'up' | 'down';

/** Something beside the line of sight counts as further away than something on it. */
const sidewaysFactor = 2;

/** The place that is next in a direction; undefined when there is none. */
export function nearestPlace(places: readonly Place[], from: string, direction: Direction): Place | undefined {
  const start = places.find(({ id }) => id === from);
  if (start === undefined) return places[0];
  let best: { readonly place: Place; readonly distance: number } | undefined;
  for (const place of places) {
    const [ahead, aside] = offsets(start, place, direction);
    if (place.id === from || ahead <= 0) continue;
    const distance = ahead + sidewaysFactor * Math.abs(aside);
    if (best === undefined || distance < best.distance) best = { place, distance };
  }
  return best?.place;
}

function offsets(from: Place, to: Place, direction: Direction): readonly [ahead: number, aside: number] {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  switch (direction) {
    case 'right':
      return [dx, dy];
    case 'left':
      return [-dx, dy];
    case 'down':
      return [dy, dx];
    case 'up':
      return [-dy, dx];
  }
}
