import type { EncodedResource } from '../model/resource.ts';
import type { NextResponse, ResponseDeps } from './response-deps.ts';
import type { TypeSubscription } from './type-subscription.ts';

/** Names, and a lookup of their resources. */
export interface NamedResources {
  /** Identifies names and resources: responses with equal keys are equal. */
  readonly key: string;
  readonly names: ReadonlySet<string>;
  readonly find: (name: string) => EncodedResource | undefined;
}

/** Creates a response with the resources of some names and, in the incremental protocol, the removed names. */
export function namedResponse(
  { type }: TypeSubscription,
  deps: ResponseDeps,
  { key, names, find }: NamedResources,
): NextResponse {
  const { mode, view } = deps;
  const response = deps.share(`${mode} ${type} ${key}`, () => {
    const resources = new Map<string, EncodedResource>();
    const removed: string[] = [];
    for (const name of [...names].sort()) {
      const resource = find(name);
      if (resource !== undefined) resources.set(name, resource);
      else removed.push(name);
    }
    return { mode, type, version: view.version(type), resources, removed: mode === 'delta' ? removed : [] };
  });
  return { response, updatedNames: response.content.resources.keys() };
}

/** Serializes names for a {@link NamedResources.key}. */
export const nameList = (names: ReadonlySet<string>): string => [...names].sort().join('\n');

/** Whether a reconnecting client reported that it has this version. */
export const isKnown = ({ clientVersions }: TypeSubscription, resource: EncodedResource | undefined): boolean =>
  resource !== undefined && clientVersions?.get(resource.name) === resource.version;
