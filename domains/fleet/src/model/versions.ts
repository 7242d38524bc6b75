import type { FleetCluster } from '../kinds/index.ts';
import type { DesiredVersions, InstanceStatus } from './instance-events.ts';

/** An operator version that a cluster offers, with the product versions that it can run. */
export type OperatorVersion = NonNullable<NonNullable<FleetCluster['status']>['operatorVersions']>[number];

const operatorPattern = /(\d+)\.(\d+)\.(\d+)-(\d+)$/;

/** Whether a text ends in `X.Y.Z-B`. */
export const isOperatorVersion = (text: string): boolean => operatorPattern.test(text);

/** Compares operator versions by the numbers of `X.Y.Z-B`; those without come first. */
export function compareOperatorVersions(a: string, b: string): number {
  const numbersOf = (text: string): readonly number[] => operatorPattern.exec(text)?.slice(1).map(Number) ?? [];
  return compareNumbers(numbersOf(a), numbersOf(b)) || compareText(a, b);
}

/** Compares product versions by their numbers, from the left; a missing number is less than zero. */
export const compareVersions = (a: string, b: string): number =>
  compareNumbers(numbersIn(a), numbersIn(b)) || compareText(a, b);

/** The newest ready operator version and its newest product version; undefined when there is none. */
export function newestVersions(offered: readonly OperatorVersion[] = []): DesiredVersions | undefined {
  const [newest] = offered
    .filter(({ ready, productVersions }) => ready && productVersions.length > 0)
    .toSorted((a, b) => compareOperatorVersions(b.version, a.version));
  if (newest === undefined) return undefined;
  return { operator: newest.version, product: newest.productVersions.toSorted(compareVersions).at(-1) as string };
}

/** Offered versions in ascending order, as clusters keep them. */
export const inVersionOrder = (offered: readonly OperatorVersion[]): OperatorVersion[] =>
  offered
    .toSorted((a, b) => compareOperatorVersions(a.version, b.version))
    .map(entry => ({ ...entry, productVersions: entry.productVersions.toSorted(compareVersions) }));

/**
 * Says what is wrong with new desired versions, in the order of the reference: a component whose upgrade runs keeps its
 * version; the operator version must be ready on the cluster and list the product version; the product does not go back
 * in major.minor. Undefined: nothing.
 */
export function versionProblem(
  status: Pick<InstanceStatus, 'desired' | 'actual' | 'upgrading'>,
  wanted: DesiredVersions,
  offered: readonly OperatorVersion[] = [],
): string | undefined {
  for (const part of ['product', 'operator'] as const)
    if (status.upgrading?.[part] && wanted[part] !== undefined && wanted[part] !== status.desired?.[part])
      return `the ${part} version cannot be changed while its upgrade to ${status.desired?.[part]} is in progress`;
  const { product, operator } = { ...status.desired, ...definedOf(wanted) };
  const entry = offered.find(({ version, ready }) => ready && version === operator);
  if (entry === undefined) return `operator version ${operator ?? '(none)'} is not ready on the cluster`;
  if (product !== undefined && !entry.productVersions.includes(product))
    return `version ${product} is not offered by operator version ${operator}`;
  const actual = status.actual?.product;
  if (product !== undefined && actual !== undefined && isDowngrade(actual, product))
    return `version ${product} is older than the actual version ${actual}`;
  return undefined;
}

/** Patch-level downgrades are allowed. */
const isDowngrade = (from: string, to: string): boolean =>
  compareNumbers(numbersIn(to).slice(0, 2), numbersIn(from).slice(0, 2)) < 0;

const definedOf = ({ product, operator }: DesiredVersions): DesiredVersions => ({
  ...(product === undefined ? {} : { product }),
  ...(operator === undefined ? {} : { operator }),
});

const numbersIn = (text: string): readonly number[] => (text.match(/\d+/g) ?? []).map(Number);

function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? -1) - (b[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
