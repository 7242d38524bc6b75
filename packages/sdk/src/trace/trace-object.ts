import { ChandleryError, displayNameOf, type KubeObject, situationOf } from '@chandlery/api';
import { causedBy, type Landscape, type Placed } from './links.ts';
import { inOrder, type TraceNode } from './trace-node.ts';

/**
 * Builds the tree of everything that an object caused. An object with two causes is shown under both, with its children
 * once.
 */
export function traceObject(root: Placed, landscape: Landscape): TraceNode {
  return nodeOf(root, landscape, new Set());
}

function nodeOf(placed: Placed, landscape: Landscape, seen: Set<string>): TraceNode {
  const { cluster, object } = placed;
  const { uid = '', name = '', namespace } = object.metadata;
  const isNew = !seen.has(`${cluster}/${uid}`);
  seen.add(`${cluster}/${uid}`);
  const displayName = displayNameOf(object);
  const children = isNew ? causedBy(placed, landscape).map(child => nodeOf(child, landscape, seen)) : [];
  return {
    cluster,
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(displayName !== undefined && displayName !== name && { displayName }),
    ...situationOf(object),
    children: inOrder(children),
  };
}

export interface TraceTarget {
  /** Kind, plural or short form of it, in any case; `kind.group` is allowed. */
  readonly kind: string;
  readonly name: string;
  /** Default: any. */
  readonly namespace?: string;
  /** Default: any, onboarding first. */
  readonly cluster?: string;
}

/** Finds the object of a target. Throws `NotFound`, or `Ambiguous` with all candidates. */
export function findRoot({ kind, name, namespace, cluster }: TraceTarget, landscape: Landscape): Placed {
  const [wanted = '', group] = splitKind(kind.toLowerCase());
  const isCandidate = (object: KubeObject): boolean =>
    (namespace === undefined || (object.metadata.namespace ?? '') === namespace) &&
    isKind(object.kind.toLowerCase(), wanted) &&
    (group === undefined || object.apiVersion.toLowerCase().startsWith(`${group}/`));
  const candidates = [...landscape]
    .filter(([where]) => cluster === undefined || where === cluster)
    .flatMap(([where, { all }]) => all.filter(isCandidate).map(object => ({ cluster: where, object })));
  const named = candidates.filter(({ object }) => object.metadata.name === name);
  const found = named.length > 0 ? named : candidates.filter(({ object }) => givenNameOf(object) === name);
  const [first, ...others] = found;
  if (first === undefined) throw new ChandleryError('NotFound', `there is no ${kind} "${name}" on any cluster`);
  if (others.length > 0) throw ambiguous(kind, name, found);
  return first;
}

/** Objects whose own name is an id have the name that people gave them in the spec. */
const givenNameOf = (object: KubeObject): unknown => (object as { spec?: { name?: unknown } }).spec?.name;

function splitKind(kind: string): [string, string | undefined] {
  const dot = kind.indexOf('.');
  return dot < 0 ? [kind, undefined] : [kind.slice(0, dot), kind.slice(dot + 1)];
}

const isKind = (kind: string, wanted: string): boolean =>
  kind === wanted || `${kind}s` === wanted || `${kind}es` === wanted || kind.replace(/y$/, 'ies') === wanted;

function ambiguous(kind: string, name: string, found: readonly Placed[]): ChandleryError {
  const places = found.map(
    ({ cluster, object: { kind: which, apiVersion, metadata } }) =>
      `${which}.${apiVersion.split('/')[0]}${metadata.namespace === undefined ? '' : ` in namespace "${metadata.namespace}"`} of cluster "${cluster}"`,
  );
  return new ChandleryError('Ambiguous', `${kind} "${name}" may be ${places.sort().join(', or ')}`, {
    hint: 'Say which with --namespace and --cluster, or name the kind with its group: kind.group/name.',
  });
}
