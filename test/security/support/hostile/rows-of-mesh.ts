import { groupPath } from '../objects.ts';
import { bodyRow, dry, fields, type HostileRow, times } from './hostile-row.ts';
import { cluster } from './hostile-world.ts';

const specs = 'specs.smi-spec.io/v1alpha4';
const access = 'access.smi-spec.io/v1alpha3';
const split = 'split.smi-spec.io/v1alpha4';
const path = (version: string, plural: string): string => `${groupPath(cluster, version, 'default')}/${plural}?${dry}`;

/** A group of routes with these matches. */
const groupRow = (what: string, size: number, matches: (size: number) => readonly object[]): HostileRow =>
  bodyRow(what, size, path(specs, 'httproutegroups'), length => ({
    apiVersion: specs,
    kind: 'HTTPRouteGroup',
    metadata: { name: 'hostile' },
    spec: { matches: matches(length) },
  }));

const match = (index: number, more: object): object => ({ name: `m${index}`, ...more });
const inGroups = (depth: number, end: string): string => `${'('.repeat(depth)}a${`)${end}`.repeat(depth)}`;
/** Patterns of the maximum length, each a new one. */
const longPattern = (index: number): string => `/${index}${'a?'.repeat(500)}`;
const account = (name: string): object => ({ kind: 'ServiceAccount', name });

/** Routes, targets and splits of SMI, from a tenant. */
export const meshRows: readonly HostileRow[] = [
  groupRow('a group of many matches', 3000, size => times(size, index => match(index, {}))),
  groupRow('a group of many long patterns', 90, size =>
    times(size, index => match(index, { pathRegex: longPattern(index) })),
  ),
  groupRow('a pattern of any length', 100_000, size => [match(0, { pathRegex: 'a'.repeat(size) })]),
  groupRow('patterns of nested quantifiers', 90, size =>
    times(size, index => match(index, { pathRegex: inGroups(99, '+') })),
  ),
  groupRow('patterns of nested repetitions', 90, size =>
    times(size, index => match(index, { pathRegex: inGroups(90, '{1000}') })),
  ),
  groupRow('patterns of unfinished classes', 90, size =>
    times(size, index => match(index, { pathRegex: `${'[a]'.repeat(300)}${'[[:'.repeat(40)}` })),
  ),
  groupRow('patterns of braces', 90, size => times(size, index => match(index, { pathRegex: 'a{'.repeat(500) }))),
  groupRow('a match of many methods', 10_000, size => [match(0, { methods: times(size, () => 'GET') })]),
  groupRow('a match of many headers', 5000, size => [match(0, { headers: fields(size, () => 'a+') })]),
  groupRow('a match of many lists of headers', 5000, size => [
    match(0, { headers: times(size, index => ({ [`k${index}`]: 'a+' })) }),
  ]),
  groupRow('headers of long patterns', 90, size => [match(0, { headers: fields(size, longPattern) })]),
  bodyRow('a target of many rules', 3000, path(access, 'traffictargets'), size => ({
    apiVersion: access,
    kind: 'TrafficTarget',
    metadata: { name: 'hostile' },
    spec: {
      destination: account('called'),
      sources: times(size, index => ({ ...account(`s${index}`), namespace: 'default' })),
      rules: times(size, () => ({ kind: 'HTTPRouteGroup', name: 'hostile' })),
    },
  })),
  bodyRow('a split of many backends', 3000, path(split, 'trafficsplits'), size => ({
    apiVersion: split,
    kind: 'TrafficSplit',
    metadata: { name: 'hostile' },
    spec: { service: 'root', backends: times(size, index => ({ service: `b${index}`, weight: 1 })) },
  })),
];
