/** As Kubernetes serves numbers in a status: those that are 0 are left out. */
export const withoutZeros = <T extends Readonly<Record<string, number>>>(numbers: T): Partial<T> =>
  Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== 0)) as Partial<T>;

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, value) => total + value, 0);

/** A number, or a percentage of a whole. An invalid value is 0. */
export function resolveAmount(
  amount: number | string | undefined,
  whole: number,
  round: (exact: number) => number,
): number {
  if (typeof amount === 'number') return amount;
  const percent = /^(\d+)%$/.exec(amount ?? '')?.[1];
  return percent === undefined ? 0 : round((Number(percent) * whole) / 100);
}
