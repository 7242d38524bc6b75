import type { EncodedResource } from '../model/resource.ts';
import type { NextResponse, ResponseDeps } from './response-deps.ts';
import type { Substream } from './substream.ts';

/** Some names, and what there is of them. */
export interface NamedResources {
  /** Stands for the names and what was found: answers with equal keys are equal. */
  readonly key: string;
  readonly names: ReadonlySet<string>;
  readonly find: (name: string) => EncodedResource | undefined;
}

/** Tells what there is of some names and, where the protocol has a word for it, which of them there are not. */
export function namedResponse(
  { type }: Substream,
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

/** Stands for names in a {@link NamedResources.key}. */
export const nameList = (names: ReadonlySet<string>): string => [...names].sort().join('\n');

/** Whether a client that told what it has when it came has this. */
export const isKnown = ({ clientVersions }: Substream, resource: EncodedResource | undefined): boolean =>
  resource !== undefined && clientVersions?.get(resource.name) === resource.version;
