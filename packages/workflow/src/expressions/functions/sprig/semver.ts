import { fail } from '../../values/failure.ts';
import { createMap } from '../../values/value.ts';
import { type SprigTable, sprig } from './signature.ts';

interface Version {
  readonly parts: readonly [number, number, number];
  readonly prerelease: string;
  readonly metadata: string;
}

const version =
  /^v?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?(?:-([\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*))?(?:\+([\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*))?$/;
const maxLength = 256;

function parseVersion(text: string): Version {
  const match = text.length > maxLength ? null : version.exec(text);
  if (match === null) return fail('invalid semantic version');
  const [, major, minor = '0', patch = '0', prerelease = '', metadata = ''] = match;
  return { parts: [Number(major), Number(minor), Number(patch)], prerelease, metadata };
}

function compareVersions(a: Version, b: Version): number {
  for (const index of [0, 1, 2] as const) if (a.parts[index] !== b.parts[index]) return a.parts[index] - b.parts[index];
  return comparePrereleases(a.prerelease, b.prerelease);
}

/** A version with a pre-release comes before the one without. */
function comparePrereleases(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? 1 : -1;
  const [left, right] = [a.split('.'), b.split('.')];
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (part !== other) return compareIdentifiers(part, other);
  }
  return -1;
}

function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : 1;
}

const term =
  /^(=|==|!=|>|<|>=|=>|<=|=<|~|~>|\^)?\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:-([\dA-Za-z.-]+))?(?:\+[\dA-Za-z.-]+)?$/;

/** Whether a version satisfies constraints such as `>=1.2 <2 || ~3.1`. */
function satisfies(constraints: string, candidate: Version): boolean {
  if (constraints.length > maxLength) fail('improper constraint: too long');
  return constraints.split('||').some(group => {
    const ranges = group.replaceAll(/(\S+)\s+-\s+(\S+)/g, '>=$1 <=$2');
    const terms = ranges
      .trim()
      .replaceAll(/([=<>~^!])\s+/g, '$1')
      .split(/[\s,]+/)
      .filter(word => word !== '');
    return terms.every(word => satisfiesTerm(word, candidate, constraints));
  });
}

function satisfiesTerm(word: string, candidate: Version, constraints: string): boolean {
  const match = term.exec(word);
  if (match === null) return fail(`improper constraint: ${constraints}`);
  const [, operator = '', ...rest] = match;
  const given = rest.slice(0, 3).filter(part => part !== undefined && /^\d+$/.test(part)).length;
  const numbers = rest.slice(0, given).map(Number);
  const [major = 0, minor = 0, patch = 0] = numbers;
  const base: Version = { parts: [major, minor, patch], prerelease: rest[3] ?? '', metadata: '' };
  // Pre-releases are wanted only by those who name one.
  if (candidate.prerelease !== '' && base.prerelease === '') return false;
  return isInRange(operator, base, given, candidate);
}

/** The first version behind those that share the first `count` numbers. */
function next({ parts }: Version, count: number): Version {
  const [major, minor, patch] = parts;
  const bumped = count <= 1 ? [major + 1, 0, 0] : count === 2 ? [major, minor + 1, 0] : [major, minor, patch + 1];
  return { parts: bumped as [number, number, number], prerelease: '', metadata: '' };
}

function isInRange(operator: string, base: Version, given: number, candidate: Version): boolean {
  const order = compareVersions(candidate, base);
  const isBefore = (bound: Version): boolean => compareVersions(candidate, bound) < 0;
  if (given === 0) return operator !== '!=';
  const isSame = given === 3 ? order === 0 : order >= 0 && isBefore(next(base, given));
  switch (operator) {
    case '!=':
      return !isSame;
    case '>':
      return given === 3 ? order > 0 : !isBefore(next(base, given));
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      return given === 3 ? order <= 0 : isBefore(next(base, given));
    case '~':
    case '~>':
      return order >= 0 && isBefore(next(base, Math.min(given, 2)));
    case '^':
      return order >= 0 && isBefore(next(base, caretCount(base, given)));
    default:
      return isSame;
  }
}

/** `^` keeps the numbers up to the first that is not zero. */
function caretCount({ parts: [major, minor] }: Version, given: number): number {
  if (major > 0 || given === 1) return 1;
  return minor > 0 || given === 2 ? 2 : 3;
}

function describe(text: string): ReturnType<typeof createMap> {
  const { parts, prerelease, metadata } = parseVersion(text);
  const [major, minor, patch] = parts.map(part => BigInt(part));
  const whole = `${parts.join('.')}${prerelease && `-${prerelease}`}${metadata && `+${metadata}`}`;
  const values = {
    Major: major,
    Minor: minor,
    Patch: patch,
    Prerelease: prerelease,
    Metadata: metadata,
    Original: text,
    String: whole,
  };
  return createMap(Object.entries(values).map(([name, value]) => [name, sprig('', () => value ?? null)]));
}

/** sprig's functions for semantic versions. */
export const semverFunctions: SprigTable = {
  semver: sprig('string', args => describe(args.text(0))),
  semverCompare: sprig('string string', args => satisfies(args.text(0), parseVersion(args.text(1)))),
};
