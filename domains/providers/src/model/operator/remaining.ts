/** Objects of one kind that block the removal of a provider. */
export interface Remaining {
  readonly kind: string;
  readonly count: number;
  /** Some of them, as `namespace/name` or name. */
  readonly names: readonly string[];
  /** The provider's own objects, which are deleted once the provider is not used. Default false. */
  readonly isOwn?: boolean;
}

/** The number of names in a message. */
export const maxNamed = 5;

/** Why a deleted provider still exists, and what to do about it. */
export function stayText(remaining: readonly Remaining[]): string {
  const ofUsers = remaining.filter(({ isOwn = false }) => !isOwn);
  return ofUsers.length === 0
    ? `The provider is not used any more; it removes what these stand for: ${remainingText(remaining)}.`
    : `The provider stays until these are deleted: ${remainingText(ofUsers)}; delete them first.`;
}

/** Describes what is left: kinds, the number of each, and the first names. */
export function remainingText(remaining: readonly Remaining[]): string {
  return [...remaining]
    .sort((a, b) => (a.kind < b.kind ? -1 : 1))
    .map(({ kind, count, names }) => `${count} ${kind} (${someNames(names, count)})`)
    .join(', ');
}

/** The first names, sorted, and an ellipsis when there are more. */
export function someNames(names: readonly string[], count: number): string {
  const named = [...names].sort().slice(0, maxNamed);
  return named.length < count ? `${named.join(', ')}, …` : named.join(', ');
}
